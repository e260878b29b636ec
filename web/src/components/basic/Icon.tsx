import { type Drawing, FILLED, ICONS, type IconName } from "./icons";
import "./Icon.css";

interface IconProps {
  readonly name: IconName | Drawing;
  readonly size?: "small" | "medium" | "large";
  /** Fills a line icon, e.g. a favourite's heart. */
  readonly filled?: boolean;
}

/** A decorative icon. A button with only an icon needs a label. */
export function Icon({ name, size = "medium", filled = FILLED.has(name) }: IconProps) {
  return (
    <svg
      className={`icon icon--${size}${filled ? " icon--filled" : ""}`}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={typeof name === "string" ? ICONS[name] : name.path} strokeWidth={name === "pause" ? 3 : undefined} />
    </svg>
  );
}
