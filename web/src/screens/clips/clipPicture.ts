import { floorOf } from "../../components/picture/floor";
import type { Picture } from "../../components/picture/Poster";
import type { Clip } from "../../contracts/resources";
import { pictureOf } from "../eventViews";
import { vodPicture } from "../library/vodView";

/** A clip's poster: its event's or video's picture. */
export function clipPicture({ event, video, name }: Pick<Clip, "event" | "name" | "video">): Picture {
  if (event) return pictureOf(event, floorOf(event.participants[0]?.properties.sport));
  if (video) return vodPicture(video);
  return { kind: "figure", floor: "track", figure: name.slice(0, 1).toUpperCase(), color: "#2d3340" };
}
