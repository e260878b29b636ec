import type { ReactNode } from "react";
import { Touchline } from "./Touchline";
import "./Empty.css";

interface EmptyProps {
  readonly title: string;
  readonly text?: string;
  /** A button or link to continue with. */
  readonly children?: ReactNode;
}

export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div className="empty">
      <div className="empty__line">
        <Touchline state={{ kind: "upcoming" }} />
      </div>
      <p className="empty__title">{title}</p>
      {text !== undefined && <p className="type-meta muted">{text}</p>}
      {children}
    </div>
  );
}
