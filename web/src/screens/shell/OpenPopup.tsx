import { ButtonLink } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { popupActions, selectOpenPopup } from "../../slices/popups";
import { part } from "../lazyWithRetry";
import { useAppDispatch, useAppSelector } from "../state";
import { useRead } from "../useRead";

const Prose = part(() => import("../../components/text/Prose"));

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A popup of the channel: title, text and one link. */
export default function OpenPopup() {
  const dispatch = useAppDispatch();
  useRead({ method: "api.listPopups", args: {} });
  const popup = useAppSelector(selectOpenPopup);
  if (!popup) return null;
  const { title, text, button, link } = popup.attributes;
  const close = () => dispatch(popupActions.closed());
  return (
    <Dialog title={textOf(title)} onClose={close}>
      {textOf(text) !== "" && <Prose text={textOf(text)} />}
      {textOf(link).startsWith("/") && textOf(button) !== "" && (
        <div onClickCapture={close}>
          <ButtonLink look="primary" block to={textOf(link)}>
            {textOf(button)}
          </ButtonLink>
        </div>
      )}
    </Dialog>
  );
}
