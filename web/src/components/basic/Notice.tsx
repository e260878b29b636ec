import type { ReactNode } from "react";
import { Icon } from "./Icon";
import type { IconName } from "./icons";
import "./Notice.css";

interface NoticeProps {
  readonly tone?: "plain" | "danger" | "success" | "warning";
  readonly icon?: IconName;
  readonly children: ReactNode;
  /** Announced when it appears. */
  readonly alert?: boolean;
  readonly id?: string;
}

const ICON: { readonly [T in NonNullable<NoticeProps["tone"]>]: IconName } = {
  plain: "info",
  danger: "alert",
  success: "check",
  warning: "alert",
};

export function Notice({ tone = "plain", icon, children, alert, id }: NoticeProps) {
  return (
    <div className={`notice notice--${tone}`} role={alert ? "alert" : undefined} id={id}>
      <Icon name={icon ?? ICON[tone]} />
      <div className="notice__text">{children}</div>
    </div>
  );
}
