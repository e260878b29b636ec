import { useNavigate } from "react-router";
import type { Id, VodItem } from "../../contracts/resources";
import { linkTo } from "../../navigation";
import type { Next } from "../../player/UpNext";
import { selectVodById, selectVodRails } from "../../slices/vod";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { AUTOPLAY } from "../watch/autoplay";
import { VOD_RAILS } from "./vodView";

const mayWatch = ({ has_access, is_geo_blocked, media }: VodItem): boolean =>
  has_access && !is_geo_blocked && (media?.url !== undefined || media?.is_protected === true);

/** The next video in the first rail of video `id` that the viewer may watch (MEDIA-11). */
export function useNextVideo(id: Id | null): Next | undefined {
  const navigate = useNavigate();
  useRead(id === null ? null : VOD_RAILS);
  const byId = useAppSelector(selectVodById);
  const rails = useAppSelector(selectVodRails);
  if (id === null) return undefined;
  const ids = rails.find((rail) => rail.ids.includes(id))?.ids ?? [];
  const at = ids.indexOf(id);
  const nextId = [...ids.slice(at + 1), ...ids.slice(0, Math.max(0, at))].find((one) => {
    const other = byId[one];
    return other !== undefined && mayWatch(other);
  });
  const next = nextId === undefined ? undefined : byId[nextId];
  if (!next) return undefined;
  return { title: next.title, onPlay: () => navigate(linkTo("vodItem", { id: next.id }), { state: AUTOPLAY }) };
}
