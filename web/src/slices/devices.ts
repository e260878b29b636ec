import { createSelector, type PayloadAction } from "@reduxjs/toolkit";
import type { Device, Id } from "../contracts/resources";
import { authActions } from "./auth";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { queryActions } from "./queries";

/** AUTH-5, AUTH-9. The viewer's signed-in devices and connected accounts. */
export const devices = createSlice({
  name: "devices",
  initialState: [] as readonly Device[],
  reducers: {
    revokePressed: (state, _: PayloadAction<{ id: Id }>) => state,
    unlinkPressed: (state, _: PayloadAction<{ id: Id; provider: string }>) => state,
    revoked: (state, { payload: { id } }: PayloadAction<{ id: Id }>) => state.filter((device) => device.id !== id),
  },
  extraReducers: (builder) =>
    builder
      .addCase(authActions.loggedOut, () => [])
      .addCase(authActions.reset, () => [])
      .addCase(queryActions.loaded, (state, { payload }) =>
        payload.method === "api.listSessions" ? payload.answer : state,
      ),
});

export const deviceActions = devices.actions;
const isDevice = ({ provider }: Device): boolean => provider === undefined;

export const selectDevices = createSelector(
  ({ devices: state }: RootState) => state,
  (all): readonly Device[] => all.filter(isDevice),
);
export const selectLinkedLogins = createSelector(
  ({ devices: state }: RootState) => state,
  (all): readonly Device[] => all.filter((one) => !isDevice(one)),
);
