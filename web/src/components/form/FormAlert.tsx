import { type ReactNode, useEffect, useRef } from "react";
import { Notice } from "../basic/Notice";
import { reveal } from "./reveal";

interface FormAlertProps {
  /** A new value is a new refusal, possibly with the same text. */
  readonly refusal: unknown;
  readonly children: ReactNode;
}

/** The reason of a refusal, above the form's button. It is announced, focused and scrolled into the window (FORM-3). */
export function FormAlert({ refusal, children }: FormAlertProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current) reveal(element.current);
  }, [refusal]);
  return (
    <div ref={element} tabIndex={-1}>
      <Notice tone="danger" alert>
        {children}
      </Notice>
    </div>
  );
}
