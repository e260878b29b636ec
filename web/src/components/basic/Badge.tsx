import type { ReactNode } from "react";
import { Icon } from "./Icon";
import type { IconName } from "./icons";
import "./Badge.css";

interface BadgeProps {
  /** `ink` is for pictures, `tone` for surfaces. */
  readonly look: "live" | "ink" | "tone";
  readonly children: ReactNode;
}

export function Badge({ look, children }: BadgeProps) {
  return <span className={`badge badge--${look} figures`}>{children}</span>;
}

interface ChipProps {
  readonly tone?: "plain" | "info" | "success" | "danger" | "warning";
  readonly icon: IconName;
  readonly children: ReactNode;
}

/** A status chip. Its text and icon carry the meaning, never the tone alone. */
export function Chip({ tone = "plain", icon, children }: ChipProps) {
  return (
    <span className={`chip chip--${tone}`}>
      <Icon name={icon} size="small" />
      {children}
    </span>
  );
}
