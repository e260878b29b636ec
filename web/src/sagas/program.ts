import { methods } from "../ports/world";
import { rootReducer } from "../slices/index";
import { tabActions } from "../slices/tabs";
import { rootSaga } from "./root";

/** For each action type or port method whose shape has changed: the steps from version 1 to 2, 2 to 3, and so on. */
const upcasters: Readonly<Record<string, readonly ((payload: unknown) => unknown)[]>> = {};

/**
 * The product from the view of its event log, for recording and replaying. `replay/frozen.test.ts` fails if an action's
 * fields changed without a step in `upcasters`.
 */
export const program = {
  reducer: rootReducer,
  rootSaga,
  methods,
  upcasters,
  carriers: { [tabActions.streamReceived.type]: "actions" },
};
