import { useEffect } from "react";
import { useSearchParams } from "react-router";
import { popupActions } from "../../slices/popups";
import { useAppDispatch } from "../state";

/** Opens the popup that a link names with `modal`, once, and removes the key from the address (PAGE). */
export function useModal(): void {
  const dispatch = useAppDispatch();
  const [params, setParams] = useSearchParams();
  const modal = params.get("modal");
  useEffect(() => {
    if (modal === null) return;
    dispatch(popupActions.opened({ component: modal }));
    setParams(
      (now) => {
        const next = new URLSearchParams(now);
        next.delete("modal");
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [modal, dispatch, setParams]);
}
