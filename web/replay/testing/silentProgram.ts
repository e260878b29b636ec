import type { UnknownAction } from "@reduxjs/toolkit";
import { program } from "../../src/sagas/program";
import type { RootState } from "../../src/slices";

/** A program that loses the message of a declined card. */
export const silentProgram = {
  ...program,
  reducer: (state: RootState | undefined, action: UnknownAction): RootState => {
    const next = program.reducer(state as never, action as never) as RootState;
    return next.purchase.at === "failed" ? { ...next, purchase: { ...next.purchase, message: "" } } : next;
  },
} as unknown as typeof program;
