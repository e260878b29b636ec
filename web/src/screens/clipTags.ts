import type { Translate } from "../i18n/texts";

/** The tags that are offered to whoever makes a clip. */
export const CLIP_TAGS = ["highlight", "goal", "defense", "threePointer", "fastBreak", "save", "celebration"] as const;

const isOffered = (tag: string): tag is (typeof CLIP_TAGS)[number] => (CLIP_TAGS as readonly string[]).includes(tag);

/** A tag in words; one that is not offered stands as it came. */
export const tagLabel = (t: Translate, tag: string): string => (isOffered(tag) ? t(`clips.tag.${tag}`) : tag);
