import { useEffectEvent, useLayoutEffect } from "react";

const FIELDS = "input, select, textarea, [contenteditable]";
/** Elements that use a key themselves: a pane scrolls, and the space bar presses. */
const USERS: Readonly<Record<string, string>> = {
  ArrowLeft: FIELDS,
  ArrowRight: FIELDS,
  " ": `${FIELDS}, button, a, summary`,
};
const SCROLLING = `${FIELDS}, .replay__pane`;

/** Calls the function of each pressed key, anywhere on the page but in an element that uses the key itself. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const press = useEffectEvent((event: KeyboardEvent): void => {
    const { target, key, altKey, ctrlKey, metaKey } = event;
    const action = keys[key];
    if (!action || event.defaultPrevented || altKey || ctrlKey || metaKey) return;
    if (target instanceof Element && target.closest(USERS[key] ?? SCROLLING)) return;
    event.preventDefault();
    action();
  });
  // As soon as the page is visible, not after it.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => press(event);
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}
