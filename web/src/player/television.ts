/** What browsers of televisions call themselves: they have a remote's arrows and nothing else. */
const TELEVISION =
  /\b(?:SMART-TV|SmartTV|Tizen|Web0S|webOS|NetCast|HbbTV|BRAVIA|AFT[A-Z]|GoogleTV|Android TV|CrKey|Roku)\b/;

export const isTelevision = (agent: string): boolean => TELEVISION.test(agent);

/** What can be pressed on the player, row by row from above. */
function rowsOf(player: HTMLElement): readonly (readonly HTMLElement[])[] {
  const shown = (selector: string) =>
    [...player.querySelectorAll<HTMLElement>(selector)].filter((one) => one.offsetParent !== null);
  const over = shown(".player__message button, .player__resumed button, .player__skip, .player__top :is(a, button)");
  return [over, shown(".player__slider"), shown(".player__row :is(button, select)")].filter((row) => row.length > 0);
}

/**
 * Moves the focus by a remote's arrow: along a row, and from row to row. False where it stays: at the line left and right
 * seek, and above and below the player the page goes on.
 */
export function moveFocus(player: HTMLElement, key: string): boolean {
  const rows = rowsOf(player);
  const active = player.ownerDocument.activeElement;
  const row = rows.findIndex((one) => one.some((item) => item === active));
  const own = rows[row] ?? [];
  const at = own.findIndex((item) => item === active);
  const sideways = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
  const vertical = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
  if (row < 0) {
    // From the picture itself down to its first button, up to its line.
    const next = vertical === 1 ? rows.at(-1)?.[0] : vertical === -1 ? rows.at(-2)?.[0] : undefined;
    next?.focus({ preventScroll: true });
    return next !== undefined;
  }
  if (sideways !== 0 && own[at]?.matches("input, select")) return false;
  const next = sideways !== 0 ? own[at + sideways] : rows[row + vertical]?.[0];
  if (!next || next === active) return false;
  next.focus({ preventScroll: true });
  return true;
}
