import { type RefObject, useEffect, useState } from "react";
import { usePreference } from "./preferences";

export interface CaptionTrack {
  readonly language: string;
  readonly label: string;
}

export interface Captions {
  readonly tracks: readonly CaptionTrack[];
  /** The selected language; null for none. */
  readonly language: string | null;
  /** The current cues. */
  readonly lines: readonly string[];
  choose(language: string | null): void;
  /** Toggles captions in the last selected language. */
  toggle(): void;
}

const isCaption = ({ kind }: TextTrack): boolean => kind === "captions" || kind === "subtitles";
const same = <T>(a: readonly T[], b: readonly T[]): boolean => JSON.stringify(a) === JSON.stringify(b);

function tracksOf(video: HTMLVideoElement): readonly CaptionTrack[] {
  const byLanguage = new Map(
    [...video.textTracks].filter(isCaption).map(({ language, label }) => [language, { language, label }] as const),
  );
  return [...byLanguage.values()];
}

/** A cue's text without markup. */
const textOf = (cue: TextTrackCue): string => (cue as VTTCue).getCueAsHTML().textContent ?? "";

/** Makes the browser load only these tracks, and render them only if `isNative`. */
function loadOnly(list: TextTrackList, displayed: readonly TextTrack[], isNative: boolean): void {
  for (const track of list) {
    const mode = displayed.includes(track) ? (isNative ? "showing" : "hidden") : "disabled";
    if (isCaption(track) && track.mode !== mode) track.mode = mode;
  }
}

/**
 * Reads a video's captions, which the player renders above its controls in the viewer's style. The stored value, e.g.
 * `off|fr`, says whether they are on, and the language, which defaults to the site's (`spoken`). In the video's own full
 * screen (`isNative`) the browser renders them.
 */
export function useCaptions(ref: RefObject<HTMLVideoElement | null>, spoken: string, isNative: boolean): Captions {
  const [preference, setPreference] = usePreference("captions", `off|${spoken}`);
  const [state = "off", wanted = spoken] = preference.split("|");
  const [tracks, setTracks] = useState<readonly CaptionTrack[]>([]);
  const [lines, setLines] = useState<readonly string[]>([]);
  const chosen = tracks.find(({ language }) => language === wanted) ?? tracks[0];
  const language = state === "on" && chosen ? chosen.language : null;

  useEffect(() => {
    const list = ref.current?.textTracks;
    const video = ref.current;
    if (!list || !video) return;
    const update = () => {
      const found = tracksOf(video);
      setTracks((known) => (same(known, found) ? known : found));
    };
    update();
    list.addEventListener("addtrack", update);
    list.addEventListener("removetrack", update);
    return () => {
      list.removeEventListener("addtrack", update);
      list.removeEventListener("removetrack", update);
    };
  }, [ref]);

  useEffect(() => {
    const list = ref.current?.textTracks;
    if (!list || tracks.length === 0) return;
    const displayed = [...list].filter((track) => isCaption(track) && track.language === language);
    const apply = () => loadOnly(list, displayed, isNative);
    const read = () => {
      const captions = displayed.flatMap(({ activeCues }) => [...(activeCues ?? [])].map(textOf));
      setLines((known) => (same(known, captions) ? known : [...new Set(captions)]));
    };
    apply();
    read();
    // The library shows and hides the tracks that it selects.
    list.addEventListener("change", apply);
    for (const track of displayed) track.addEventListener("cuechange", read);
    return () => {
      list.removeEventListener("change", apply);
      for (const track of displayed) track.removeEventListener("cuechange", read);
    };
  }, [ref, tracks, language, isNative]);

  return {
    tracks,
    language,
    lines: language === null ? [] : lines,
    choose: (next) => setPreference(next === null ? `off|${wanted}` : `on|${next}`),
    toggle: () => setPreference(`${state === "on" ? "off" : "on"}|${chosen?.language ?? wanted}`),
  };
}
