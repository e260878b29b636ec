import type { Program } from "../../eventlog/live";
import { methods } from "../../ports/ask";
import { rootSaga } from "../../sagas/root";
import { type RootState, rootReducer } from "../../slices";

/** What a recorded session is replayed with: this build's reducers and sagas, and no port. */
export const program = { reducer: rootReducer, rootSaga, methods } satisfies Program<RootState>;
