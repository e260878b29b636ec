import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "../components/basic/Button";
import { useTexts } from "../i18n/useTexts";
import "./PlayerPanel.css";

interface PlayerPanelProps {
  readonly title: string;
  readonly className?: string;
  /** Selector of the element to focus when the panel opens. */
  readonly focus: "button" | "select";
  /** The key that toggles the panel; Escape always closes it. */
  readonly toggle?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog over the picture, inside the player. */
export function PlayerPanel({ title, className = "", focus, toggle, onClose, children }: PlayerPanelProps) {
  const { t } = useTexts();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.querySelector<HTMLElement>(focus)?.focus({ preventScroll: true }), [focus]);
  return (
    <div
      className={`player__keys ${className}`.trim()}
      role="dialog"
      aria-label={title}
      ref={panel}
      onKeyDown={(event) => {
        if (event.key !== "Escape" && event.key !== toggle) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="player__keys-head">
        <h2>{title}</h2>
        <Button look="quiet" icon="close" label={t("dialog.close")} onClick={onClose} />
      </div>
      {children}
    </div>
  );
}
