import { type RefObject, useEffect, useRef } from "react";

/** Focuses a panel's heading and scrolls the panel into view when it appears and whenever `times` changes. */
export function useReveal(times?: number): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest("section")?.scrollIntoView({ block: "nearest" });
  }, [times]);
  return heading;
}
