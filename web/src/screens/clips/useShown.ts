import { type RefObject, useEffect, useRef } from "react";

/** Gives a panel's heading the focus, and brings the panel into view, when it comes and whenever `times` is another. */
export function useShown(times?: number): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest("section")?.scrollIntoView({ block: "nearest" });
  }, [times]);
  return heading;
}
