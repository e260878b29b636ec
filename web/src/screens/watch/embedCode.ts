import { linkTo } from "../../navigation";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** Frame sizes for embedding. */
export const FRAMES = ["640x360", "320x180", "fit"] as const;
export type FrameSize = (typeof FRAMES)[number];

/** The embed code of an event's player (ROUTE-3). */
export function embedCode(id: number, title: string, size: FrameSize): string {
  const src = new URL(linkTo("watchEmbed", { id }), window.location.href).href;
  const [width, height] = size.split("x");
  const room =
    height === undefined
      ? 'style="border:0;width:100%;aspect-ratio:16/9"'
      : `width="${width}" height="${height}" style="border:0"`;
  return `<iframe src="${src}" title="${escaped(title)}" ${room} allow="autoplay; fullscreen; picture-in-picture" allowfullscreen></iframe>`;
}
