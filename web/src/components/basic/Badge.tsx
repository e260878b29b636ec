import type { ReactNode } from "react";
import { Icon } from "./Icon";
import type { IconName } from "./icons";
import "./Badge.css";

interface BadgeProps {
  /** `ink` stands on pictures, `tone` on surfaces. */
  readonly look: "live" | "ink" | "tone";
  readonly children: ReactNode;
}

/** A short word on a picture or beside a title. */
export function Badge({ look, children }: BadgeProps) {
  return <span className={`badge badge--${look} figures`}>{children}</span>;
}

interface ChipProps {
  readonly tone?: "plain" | "info" | "success" | "danger" | "warning";
  readonly icon: IconName;
  readonly children: ReactNode;
}

/** A state: an icon, a word and a tone, so that the tone is never alone. */
export function Chip({ tone = "plain", icon, children }: ChipProps) {
  return (
    <span className={`chip chip--${tone}`}>
      <Icon name={icon} size="small" />
      {children}
    </span>
  );
}
