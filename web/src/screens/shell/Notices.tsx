import { Toasts } from "../../components/Toasts";
import { selectToasts, toastActions } from "../../slices/toast";
import { useAppDispatch, useAppSelector } from "../state";

/** What the site has to say in passing. */
export function Notices() {
  const dispatch = useAppDispatch();
  const toasts = useAppSelector(selectToasts);
  return (
    <Toasts
      toasts={toasts}
      onDismiss={(id) => dispatch(toastActions.closed({ id }))}
      onHold={(id, held) => dispatch(held ? toastActions.held({ id }) : toastActions.released({ id }))}
    />
  );
}
