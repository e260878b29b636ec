import { connectionInputs } from "./connection";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** Whether there is a network that reaches the channel (CALL-14): what processes and screens may do follows it. */
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
