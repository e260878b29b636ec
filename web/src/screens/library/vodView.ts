import { initialsOf } from "../../components/picture/Crest";
import type { Picture } from "../../components/picture/Poster";
import type { VodItem } from "../../contracts/resources";

/** A library video's picture: its figure, or a photograph if it has none. */
export function vodPicture(item: VodItem): Picture {
  const drawing = {
    kind: "figure",
    floor: "basketball",
    figure: item.figure || initialsOf(item.title).slice(0, 1),
    color: item.color || "#1f4a8a",
  } as const;
  const photo = item.assets.find(({ type }) => type === "image");
  return item.figure === "" && photo
    ? { kind: "photo", url: photo.path, facts: photo.picture, fallback: drawing }
    : drawing;
}

export const VOD_RAILS = { method: "api.listVodRails", args: {} } as const;

/** The public preview. */
export const vodPreview = (item: VodItem): string | null =>
  item.assets.find(({ type }) => type === "preview")?.path ?? null;
