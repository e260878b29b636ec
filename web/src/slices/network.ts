import { connectionInputs } from "./connection";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** The browser's report of the network. It may be wrong when it says online. */
export const network = createSlice({
  name: "network",
  initialState: { online: true },
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(connectionInputs.wentOffline, () => ({ online: false }))
      .addCase(connectionInputs.cameOnline, () => ({ online: true })),
});

export const selectOnline = ({ network: { online } }: RootState): boolean => online;
