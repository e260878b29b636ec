import type { LookPart } from "./captionLook";
import { type Chapter, chapterBeside } from "./chapters";
import type { Playback } from "./playback";
import type { VideoCommands } from "./useVideo";

/** Playback speeds. A live stream can't play faster than it is produced. */
const RATES = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2] as const;
export const ratesOf = (live: boolean): readonly number[] => RATES.filter((rate) => !live || rate <= 1);

const STEP = 10;
const SMALL_STEP = 5;
/** One frame, in seconds. */
const FRAME = 1 / 25;
const LOUDER = 0.05;

export interface KeyTarget {
  readonly playback: Playback;
  readonly commands: VideoCommands;
  readonly live: boolean;
  /** Scripts can set the volume. */
  readonly hasVolume: boolean;
  readonly onFullscreen: (() => void) | undefined;
  readonly onPip: (() => void) | undefined;
  readonly onClip: (() => void) | undefined;
  readonly onHelp: () => void;
  readonly onCaptions: () => void;
  /** Selects the next or previous option of a part of the caption style. */
  readonly onCaptionLook: (part: LookPart, by: 1 | -1) => void;
  readonly onNext: (() => void) | undefined;
  readonly onTheatre: (() => void) | undefined;
  readonly chapters: readonly Chapter[];
}

/** The list on `?`: text key and printed keys. */
export const KEY_LIST = [
  ["playPause", "Space K"],
  ["tenSeconds", "J L"],
  ["fiveSeconds", "← →"],
  ["loudness", "↑ ↓"],
  ["mute", "M"],
  ["fullscreen", "F"],
  ["pip", "I"],
  ["share", "0 – 9"],
  ["ends", "Home End"],
  ["speed", "< >"],
  ["frame", ", ."],
  ["captions", "C"],
  ["captionSize", "+ −"],
  ["captionBackground", "W"],
  ["captionOpacity", "O"],
  ["theatre", "T"],
  ["chapter", "P N Ctrl+← Ctrl+→"],
  ["next", "Shift+N"],
  ["live", "E"],
  ["clip", "X"],
  ["list", "?"],
] as const;

/** Keys that scroll the page while the player isn't focused. */
const NEAR: ReadonlySet<string> = new Set(["Enter", "ArrowUp", "ArrowDown"]);
const FIELDS = "input, select, textarea, [contenteditable], [role=dialog], [role=listbox]";
/** Controls that handle arrows, Home and End themselves. */
const MOVED_BY_KEY = ".rail, [role=tablist], [role=menu], [role=radiogroup], [role=toolbar]";
const PRESSED_BY_KEY = "button, a, summary";

/**
 * Whether a key press is for the player: anywhere except in fields and in controls that the key operates. Up and down
 * only count inside the player. A remote (`hasRemote`) only has arrows: outside the player they belong to the page.
 */
export function isForPlayer(event: KeyboardEvent, player: HTMLElement, hasRemote: boolean): boolean {
  const { key } = event;
  if (event.altKey || event.metaKey || event.defaultPrevented) return false;
  if (event.ctrlKey && key !== "ArrowLeft" && key !== "ArrowRight") return false;
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (target.closest(FIELDS)) return false;
  const moves = key.startsWith("Arrow") || key === "Home" || key === "End";
  const isOnButton = target.closest(PRESSED_BY_KEY) !== null;
  if (player.contains(target)) return !isOnButton || !(moves || key === " " || key === "Enter");
  if (NEAR.has(key) || (hasRemote && moves)) return false;
  return !(key === " " && isOnButton) && !(moves && target.closest(MOVED_BY_KEY));
}

/** The key's name for `press`, with Control and Shift where they change its meaning. */
export const nameOfKey = ({ key, ctrlKey, shiftKey }: KeyboardEvent): string =>
  ctrlKey ? `ctrl+${key}` : shiftKey && key === "N" ? "shift+n" : key;

/** Keys that repeat while held: those that seek or change the volume. */
const REPEATING: ReadonlySet<string> = new Set(["j", "l", "arrowleft", "arrowright", "arrowup", "arrowdown", ",", "."]);

/** Handles a key; returns false if it isn't a shortcut. A held key doesn't toggle again (`isRepeat`). */
export function press(
  key: string,
  { playback, commands, live, chapters, hasVolume, ...acts }: KeyTarget,
  isRepeat: boolean,
): boolean {
  const seek = (to: number) => commands.seek(Math.min(playback.end, Math.max(playback.start, to)));
  const rates = ratesOf(live);
  const faster = (by: number) => {
    const at = rates.indexOf(playback.rate);
    const next = rates[Math.min(rates.length - 1, Math.max(0, (at < 0 ? rates.indexOf(1) : at) + by))];
    if (next !== undefined) commands.setRate(next);
  };
  const chapter = (direction: 1 | -1) => {
    const to = chapterBeside(chapters, playback.time, direction);
    if (to !== undefined) seek(to);
  };
  const step = (by: number) => {
    commands.pause();
    commands.seekBy(by);
  };
  const acting: { readonly [key: string]: () => void } = {
    " ": playback.at === "playing" ? commands.pause : commands.play,
    j: () => commands.seekBy(-STEP),
    l: () => commands.seekBy(STEP),
    arrowleft: () => commands.seekBy(-SMALL_STEP),
    arrowright: () => commands.seekBy(SMALL_STEP),
    ...(hasVolume
      ? { arrowup: () => commands.changeVolume(LOUDER), arrowdown: () => commands.changeVolume(-LOUDER) }
      : {}),
    home: () => seek(playback.start),
    end: () => (live ? commands.goLive() : seek(playback.end)),
    m: commands.toggleMute,
    ...(acts.onFullscreen ? { f: acts.onFullscreen } : {}),
    ...(acts.onPip ? { i: acts.onPip } : {}),
    c: acts.onCaptions,
    "<": () => faster(-1),
    ">": () => faster(1),
    ",": () => step(-FRAME),
    ".": () => step(FRAME),
    "?": acts.onHelp,
    ...(live ? { e: commands.goLive } : {}),
    ...(acts.onClip ? { x: acts.onClip } : {}),
    ...(acts.onTheatre ? { t: acts.onTheatre } : {}),
    "+": () => acts.onCaptionLook("size", 1),
    "=": () => acts.onCaptionLook("size", 1),
    "-": () => acts.onCaptionLook("size", -1),
    w: () => acts.onCaptionLook("background", 1),
    o: () => acts.onCaptionLook("opacity", 1),
    ...(acts.onNext ? { "shift+n": acts.onNext } : {}),
    ...(chapters.length > 0
      ? {
          n: () => chapter(1),
          p: () => chapter(-1),
          "ctrl+arrowright": () => chapter(1),
          "ctrl+arrowleft": () => chapter(-1),
        }
      : {}),
  };
  const name = key.toLowerCase();
  const act = name === "k" || name === "enter" ? acting[" "] : acting[name];
  const isShare = /^\d$/.test(name);
  if (isRepeat && !REPEATING.has(name)) return act !== undefined || isShare;
  if (act) act();
  else if (isShare) seek(playback.start + ((playback.end - playback.start) * Number(name)) / 10);
  else return false;
  return true;
}
