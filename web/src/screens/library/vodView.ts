import { initialsOf } from "../../components/picture/Crest";
import type { Picture } from "../../components/picture/Poster";
import type { VodItem } from "../../contracts/resources";

/** The picture of a video of the library: its figure on its colour; a photograph where it has no figure. */
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

/** What the library's rails are read by. */
export const VOD_RAILS = { method: "api.listVodRails", args: {} } as const;

/** The preview that everyone may watch. */
export const vodPreview = (item: VodItem): string | null =>
  item.assets.find(({ type }) => type === "preview")?.path ?? null;
