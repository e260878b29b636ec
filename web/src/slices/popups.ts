import { type PayloadAction } from "@reduxjs/toolkit";
import type { Popup } from "../contracts/resources";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";

/** PAGE-3. The open popup; the channel's popups are in the catalogue. */
export const popups = createSlice({
  name: "popups",
  initialState: { open: null } as { readonly open: string | null },
  reducers: {
    /** By the component's name, from a link's `modal` or a button. */
    opened: (_, { payload: { component } }: PayloadAction<{ component: string }>) => ({ open: component }),
    closed: () => ({ open: null }),
  },
});

export const popupActions = popups.actions;

/** null: none is open, or the channel has none of that name. */
export const selectOpenPopup = ({ popups: { open }, catalogue }: RootState): Popup | null =>
  open === null ? null : (catalogue.popups.find(({ component }) => component === open) ?? null);
