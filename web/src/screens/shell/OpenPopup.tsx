import { ButtonLink } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { popupActions, selectOpenPopup } from "../../slices/popups";
import { part } from "../lazyWithRetry";
import { useAppDispatch, useAppSelector } from "../state";
import { useRead } from "../useRead";

const Prose = part(() => import("../../components/text/Prose"));

const words = (value: unknown): string => (typeof value === "string" ? value : "");

/** A popup of the channel: title, text and one link. */
export default function OpenPopup() {
  const dispatch = useAppDispatch();
  useRead({ method: "api.listPopups", args: {} });
  const popup = useAppSelector(selectOpenPopup);
  if (!popup) return null;
  const { title, text, button, link } = popup.attributes;
  const close = () => dispatch(popupActions.closed());
  return (
    <Dialog title={words(title)} onClose={close}>
      {words(text) !== "" && <Prose text={words(text)} />}
      {words(link).startsWith("/") && words(button) !== "" && (
        <div onClickCapture={close}>
          <ButtonLink look="primary" block to={words(link)}>
            {words(button)}
          </ButtonLink>
        </div>
      )}
    </Dialog>
  );
}
