import { useCallback, useEffect } from "react";
import type { Refusal } from "../../machines/auth";
import type { FormName } from "../../machines/form";
import { formActions, selectForm } from "../../slices/form";
import { useAppDispatch, useAppSelector } from "../state";

interface AccountForm {
  readonly at: "idle" | "sending" | "done" | "refused";
  readonly refusal: Refusal | null;
  /** Submits the values stored under the handle. */
  readonly submit: (handle: string) => void;
}

/** An account form's status and submit function. Leaving the page resets its result. */
export function useAccountForm(name: FormName): AccountForm {
  const dispatch = useAppDispatch();
  const state = useAppSelector(selectForm(name));
  useEffect(
    () => () => {
      dispatch(formActions.left({ key: name }));
    },
    [dispatch, name],
  );
  const submit = useCallback(
    (handle: string) => dispatch(formActions.submitted({ key: name, handle })),
    [dispatch, name],
  );
  const at = state.at === "storing" ? "sending" : state.at;
  return { at, refusal: state.at === "refused" ? state.refusal : null, submit };
}
