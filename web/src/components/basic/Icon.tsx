import { type Drawing, FILLED, ICONS, type IconName } from "./icons";
import "./Icon.css";

interface IconProps {
  readonly name: IconName | Drawing;
  readonly size?: "small" | "medium" | "large";
  /** Draws a line icon as a shape: a favourite's heart. */
  readonly filled?: boolean;
}

/** A decoration beside words; where it stands alone, its button names it. */
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
