import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { startupActions } from "./startup";

/** START-2. Whether a loading screen covers the page. */
export const loader = createSlice({
  name: "loader",
  initialState: { shown: true },
  reducers: {},
  extraReducers: (builder) =>
    builder
      .addCase(startupActions.began, (_, { payload: { shown } }) => ({ shown: !shown }))
      .addCase(startupActions.channelKeyHeld, () => ({ shown: true }))
      .addCase(startupActions.keyFailed, () => ({ shown: false }))
      .addCase(startupActions.readied, () => ({ shown: false })),
});

export const selectLoaderVisible = ({ loader: { shown } }: RootState): boolean => shown;
