import { type RefObject, useEffect, useRef } from "react";

/** Focuses a control or message, and scrolls it into the window with its label and error. */
export function reveal(element: HTMLElement): void {
  element.focus({ preventScroll: true });
  (element.closest("[data-field]") ?? element).scrollIntoView({ block: "nearest" });
}

/** Reveals the first invalid control. */
export function revealFirstError(container: ParentNode | null): void {
  const invalid = container?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid="true"]');
  if (invalid) reveal(invalid);
}

/**
 * Reveals the first invalid control of the returned element after each attempt to submit it (FORM-3). `attempts` must
 * change in the same rendering as the errors; 0 is none.
 */
export function useErrorReveal<E extends HTMLElement>(attempts: number): RefObject<E | null> {
  const container = useRef<E>(null);
  useEffect(() => {
    if (attempts > 0) revealFirstError(container.current);
  }, [attempts]);
  return container;
}
