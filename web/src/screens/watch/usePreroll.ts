import { useEffect, useState } from "react";
import type { PrerollTarget } from "../../machines/preroll";
import { prerollActions, selectPreroll, selectPrerollOver } from "../../slices/preroll";
import { useAppDispatch, useAppSelector } from "../state";

/** Before a video: its spot is being selected, is playing, or is done. */
export type BeforeVideo =
  | { readonly at: "looking" }
  | { readonly at: "spot"; readonly url: string }
  | { readonly at: "over" };

/** Requests and tracks the spot before a video (PRE). Null: there is none. */
export function usePreroll(target: PrerollTarget | null): BeforeVideo {
  const dispatch = useAppDispatch();
  const preroll = useAppSelector(selectPreroll);
  const isOver = useAppSelector(selectPrerollOver);
  /** Whether this video has requested its spot; before, the state belongs to a previous page. */
  const [isRequested, setRequested] = useState(false);
  const { event_id = 0, vod_id, event_category_id = 0, location_id = 0, media = "vod" } = target ?? {};
  const isWanted = target !== null;
  useEffect(() => {
    if (!isWanted) return;
    const video = vod_id === undefined ? {} : { vod_id };
    dispatch(prerollActions.wanted({ event_id, event_category_id, location_id, media, ...video }));
    // oxlint-disable-next-line react/set-state-in-effect -- Only now does the state describe this video.
    setRequested(true);
    return () => {
      dispatch(prerollActions.left());
    };
  }, [dispatch, isWanted, event_id, vod_id, event_category_id, location_id, media]);
  if (!isWanted || (isRequested && isOver)) return { at: "over" };
  return isRequested && preroll.at === "playing" ? { at: "spot", url: preroll.url } : { at: "looking" };
}
