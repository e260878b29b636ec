import { useEffect, useState } from "react";
import type { Refusal } from "../../machines/auth";
import { loginActions, selectAuthRefusal } from "../../slices/login";
import { useAppDispatch, useAppSelector } from "../state";

/**
 * The error of a login or registration on this visit of its page. Errors of other pages or earlier visits are ignored,
 * except one that a reload interrupted: it has not been displayed yet.
 */
export function useAuthRefusal(): Refusal | null {
  const dispatch = useAppDispatch();
  const refusal = useAppSelector(selectAuthRefusal);
  const [isInterrupted] = useState(refusal?.code === "interrupted");
  useEffect(() => {
    if (!isInterrupted) dispatch(loginActions.refusalSeen());
    return () => {
      dispatch(loginActions.refusalSeen());
    };
  }, [dispatch, isInterrupted]);
  return refusal;
}
