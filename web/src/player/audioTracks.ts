/** A spoken language or commentary of a stream (`EXT-X-MEDIA TYPE=AUDIO`). */
export interface AudioTrack {
  readonly name: string;
  /** BCP 47; empty if unknown. */
  readonly language: string;
  /** Audio description for blind viewers. */
  readonly isDescribed: boolean;
  readonly isDefault: boolean;
}

const baseOf = (language: string): string => language.toLowerCase().split("-")[0] ?? "";
const roleOf = ({ isDescribed }: AudioTrack): string => (isDescribed ? "described" : "main");

/** A track as the text of a stored preference. */
export const audioKey = (track: AudioTrack): string => `${track.language}|${roleOf(track)}|${track.name}`;

/**
 * Index of the track to play: the stored one, or else one of its language and role, or else one in the site's language
 * (`spoken`), or else the stream's default. -1 for none.
 */
export function pickAudio(tracks: readonly AudioTrack[], stored: string, spoken: string): number {
  const [language = "", role = ""] = stored.split("|");
  const inLanguage = (tag: string, wantedRole: string): AudioTrack | undefined => {
    const found = tracks.filter((track) => baseOf(track.language) === baseOf(tag) && roleOf(track) === wantedRole);
    return found.find(({ isDefault }) => isDefault) ?? found[0];
  };
  const track =
    tracks.find((one) => audioKey(one) === stored) ??
    (language === "" ? undefined : inLanguage(language, role)) ??
    inLanguage(spoken, "main") ??
    tracks.find(({ isDefault }) => isDefault) ??
    tracks[0];
  return track === undefined ? -1 : tracks.indexOf(track);
}

/** A track's name, with its language and role unless the name contains them: "Home commentary (English)". */
export function audioLabel(track: AudioTrack, spoken: string, described: string): string {
  const contains = (text: string): boolean => track.name.toLowerCase().includes(text.toLowerCase());
  const language = languageName(track.language, spoken);
  const name = track.name || language || track.language;
  const withLanguage = language === "" || name === language || contains(language) ? name : `${name} (${language})`;
  return track.isDescribed && !contains(described) ? `${withLanguage}, ${described}` : withLanguage;
}

function languageName(tag: string, spoken: string): string {
  try {
    return (tag && new Intl.DisplayNames([spoken], { type: "language", fallback: "none" }).of(tag)) || "";
  } catch {
    // The stream's tag isn't a language tag.
    return "";
  }
}
