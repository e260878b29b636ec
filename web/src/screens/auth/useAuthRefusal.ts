import { useEffect, useState } from "react";
import type { Refusal } from "../../machines/auth";
import { loginActions, selectAuthRefusal } from "../../slices/login";
import { useAppDispatch, useAppSelector } from "../state";

/**
 * What was refused of a login or a registration on this visit of its page: what was refused on another page or an
 * earlier visit is not this visit's. One that a reload cut off is: nobody was told of it yet.
 */
export function useAuthRefusal(): Refusal | null {
  const dispatch = useAppDispatch();
  const refusal = useAppSelector(selectAuthRefusal);
  const [untold] = useState(refusal?.code === "interrupted");
  useEffect(() => {
    if (!untold) dispatch(loginActions.refusalSeen());
    return () => {
      dispatch(loginActions.refusalSeen());
    };
  }, [dispatch, untold]);
  return refusal;
}
