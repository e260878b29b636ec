import { linkTo } from "../../navigation";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** What another site puts into its page to show an event's player (ROUTE-3). */
export function embedCode(id: number, title: string): string {
  const src = new URL(linkTo("watchEmbed", { id }), window.location.href).href;
  return `<iframe src="${src}" title="${escaped(title)}" width="640" height="360" style="border:0" allow="autoplay; fullscreen; picture-in-picture" allowfullscreen></iframe>`;
}
