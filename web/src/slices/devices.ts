import { createSlice, type PayloadAction } from "@reduxjs/toolkit";
import type { Device, Id } from "../contracts/resources";
import { authActions } from "./auth";
import type { RootState } from "./index";
import { queryActions } from "./queries";

/** AUTH-5. The devices that are logged in as the viewer. */
export const devices = createSlice({
  name: "devices",
  initialState: [] as readonly Device[],
  reducers: {
    revokePressed: (state, _: PayloadAction<{ id: Id }>) => state,
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
export const selectDevices = ({ devices: state }: RootState): readonly Device[] => state;
