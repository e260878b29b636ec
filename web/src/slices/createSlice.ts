import { type Action, createSlice as createToolkitSlice, type Reducer } from "@reduxjs/toolkit";

/** The `extraReducers` builder: actions of other slices by name, no matchers. */
interface Cases {
  addCase(action: Action, reducer: never): Cases;
}

interface Options {
  readonly name: string;
  readonly reducers: object;
  extraReducers?(cases: Cases): void;
}

/**
 * The toolkit's `createSlice` for a store of many slices: ignoring an action costs one lookup. The toolkit's own
 * reducer builds five lists for each action.
 */
export const createSlice = ((options: Options) => {
  const types = new Set(Object.keys(options.reducers).map((one) => `${options.name}/${one}`));
  const slice = createToolkitSlice({
    ...options,
    extraReducers(builder: Cases) {
      const noting: Cases = {
        addCase(action, reducer) {
          types.add(action.type);
          builder.addCase(action, reducer);
          return noting;
        },
      };
      options.extraReducers?.(noting);
    },
  } as never) as { reducer: Reducer<unknown, Action>; getInitialState(): unknown };
  const { reducer } = slice;
  slice.reducer = (state, action) => {
    // The handled types are available once the toolkit has built its reducer.
    slice.getInitialState();
    return state === undefined || types.has(action.type) ? reducer(state, action) : state;
  };
  return slice;
}) as unknown as typeof createToolkitSlice;
