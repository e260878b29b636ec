import { type ReactNode, useEffect, useRef } from "react";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { Icon } from "../basic/Icon";
import type { IconName } from "../basic/icons";
import "./Toasts.css";

export interface ToastView {
  readonly id: string;
  readonly type: "success" | "error" | "info";
  readonly text: string;
  /** A button, e.g. Reload. */
  readonly action?: ReactNode;
}

interface ToastsProps {
  readonly toasts: readonly ToastView[];
  readonly onDismiss: (id: string) => void;
  /** Called when the viewer starts or stops hovering or focusing a toast, which keeps it open. */
  readonly onHold?: (id: string, held: boolean) => void;
}

const ICON: { readonly [T in ToastView["type"]]: IconName } = { success: "check", error: "alert", info: "info" };

/** Short notices above the bottom bar. The newest is announced, an error at once. */
export function Toasts({ toasts, onDismiss, onHold }: ToastsProps) {
  const { t } = useTexts();
  const region = useRef<HTMLElement>(null);
  const isOpen = toasts.length > 0;
  useEffect(() => {
    // In the top layer, above any open dialog. Browsers without popovers show it in the page.
    const element = region.current;
    if (!element?.showPopover || element.matches(":popover-open") === isOpen) return;
    if (isOpen) element.showPopover();
    else element.hidePopover();
  }, [isOpen]);
  return (
    <section className="toasts" ref={region} popover="manual" aria-label={t("toast.region")}>
      <ul className="toasts__list" aria-live="polite" aria-relevant="additions">
        {toasts.map((toast) => (
          <li
            key={toast.id}
            className={`toast toast--${toast.type}`}
            role={toast.type === "error" ? "alert" : undefined}
            onPointerEnter={() => onHold?.(toast.id, true)}
            onPointerLeave={() => onHold?.(toast.id, false)}
            onFocus={() => onHold?.(toast.id, true)}
            onBlur={() => onHold?.(toast.id, false)}
          >
            <Icon name={ICON[toast.type]} />
            <p className="toast__text">
              <span className="visually-hidden">{t(`toast.${toast.type}`)} </span>
              {toast.text}
            </p>
            {toast.action}
            <Button look="quiet" icon="close" label={t("toast.dismiss")} onClick={() => onDismiss(toast.id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
