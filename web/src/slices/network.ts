import { connectionInputs } from "./connection";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** What the browser says of the network. It may be wrong when it says that there is one. */
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
