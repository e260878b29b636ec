import type { Translate } from "../i18n/texts";

/** Suggested tags for a clip. */
export const CLIP_TAGS = ["highlight", "goal", "defense", "threePointer", "fastBreak", "save", "celebration"] as const;

const isOffered = (tag: string): tag is (typeof CLIP_TAGS)[number] => (CLIP_TAGS as readonly string[]).includes(tag);

/** A tag's label; an unknown tag is returned unchanged. */
export const tagLabel = (t: Translate, tag: string): string => (isOffered(tag) ? t(`clips.tag.${tag}`) : tag);
