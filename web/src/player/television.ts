/** User agents of televisions, which only have a remote's arrows. */
const TELEVISION =
  /\b(?:SMART-TV|SmartTV|Tizen|Web0S|webOS|NetCast|HbbTV|BRAVIA|AFT[A-Z]|GoogleTV|Android TV|CrKey|Roku)\b/;

export const isTelevision = (agent: string): boolean => TELEVISION.test(agent);

/** Focusable elements of the player by row, from top to bottom. */
function rowsOf(player: HTMLElement): readonly (readonly HTMLElement[])[] {
  const visible = (selector: string) =>
    [...player.querySelectorAll<HTMLElement>(selector)].filter((one) => one.offsetParent !== null);
  const over = visible(".player__message button, .player__resumed button, .player__skip, .player__top :is(a, button)");
  return [over, visible(".player__slider"), visible(".player__row :is(button, select)")].filter(
    (row) => row.length > 0,
  );
}

/**
 * Moves the focus by a remote's arrow, along a row or to another one. Returns false if it can't: on the seek bar left
 * and right seek, and beyond the player's edges the page takes over.
 */
export function moveFocus(player: HTMLElement, key: string): boolean {
  const rows = rowsOf(player);
  const active = player.ownerDocument.activeElement;
  const row = rows.findIndex((one) => one.some((item) => item === active));
  const current = rows[row] ?? [];
  const at = current.findIndex((item) => item === active);
  const sideways = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
  const vertical = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
  if (row < 0) {
    // From the picture, down goes to the first button and up to the seek bar.
    const next = vertical === 1 ? rows.at(-1)?.[0] : vertical === -1 ? rows.at(-2)?.[0] : undefined;
    next?.focus({ preventScroll: true });
    return next !== undefined;
  }
  if (sideways !== 0 && current[at]?.matches("input, select")) return false;
  const next = sideways !== 0 ? current[at + sideways] : rows[row + vertical]?.[0];
  if (!next || next === active) return false;
  next.focus({ preventScroll: true });
  return true;
}
