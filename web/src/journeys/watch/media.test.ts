// @vitest-environment jsdom
import { expect } from "vitest";
import type { Event } from "../testing/channel/catalogue";
import { openAddress } from "../testing/channel/presenter";
import { journey, type Page } from "../testing/journey";

/** Free recordings, a free live event, and one that another site plays. */
const [ALL, ALTERNATIVE, FRAMED] = [25, 31, 37];
const [LIVE, EMBEDDED] = [3, 49];
const PLAYER = "https://player.example/";

type Media = Event["media"];

/** Gives a free event other media: `of` finds its existing ones by type. */
function setMedia(page: Page, id: number, media: (of: (type: number) => Media) => Media): void {
  const event = page.channel.state.catalogue.events.find((one) => one.id === id);
  if (!event) throw new Error(`there is no event ${id}`);
  const of = (type: number): Media => event.media.filter((one) => one.type === type);
  Object.assign(event, { access_type: "free", base_price: 0, service_fee: 0, media: media(of) });
}

const frame = async (page: Page): Promise<string | null> => {
  await page.main.within("iframe").appears();
  return page.main.all("iframe")[0]?.getAttribute("src") ?? null;
};

journey(
  "a medium's number tells its type: image, live, vod, embedded, thumbnails and three kinds of preview (EVENT-3)",
  async (page) => {
    await page.signIn({ capabilities: ["watch", "no_ads"] });
    const { media } = page.browser;
    const image = { id: 9001, type: 1, url: "/media/northfield/posters/hall.jpg", duration_s: 0 };
    setMedia(page, ALL, (of) => [image, ...of(3), ...of(5), ...of(6)]);
    const preview = { id: 9007, type: 7, url: openAddress("e9007"), duration_s: 12 };
    setMedia(page, ALTERNATIVE, (of) => [...of(3), preview]);
    setMedia(page, FRAMED, (of) => [...of(3), { id: 9008, type: 8, url: `${PLAYER}preview.html`, duration_s: 0 }]);
    setMedia(page, LIVE, (of) => [...of(2), ...of(3), ...of(5)]);
    setMedia(page, EMBEDDED, (of) => [...of(5), { id: 9004, type: 4, url: `${PLAYER}event.html`, duration_s: 0 }]);

    // The image is on the event's cards, the thumbnails are the still of its page.
    await page.goto("/vod");
    await page.main.press("Cards");
    const picture = `.event-card:has(a[href="/watch/${ALL}"]) img[src*="posters/hall.jpg"]`;
    await page.main.within(picture).appears();
    await page.goto(`/watch/${ALL}`);
    await page.main.within('.stage img[src*="posters/court.jpg"]').appears();
    await page.main.press(/^Watch preview/);
    await page.plays();
    expect(media.streams).toEqual(["e256"]);
    await page.goto(`/watch/${ALTERNATIVE}`);
    await page.main.press(/^Watch preview/);
    await page.plays();
    expect(media.streams.at(-1)).toBe("e9007");
    await page.reload();
    await page.main.press("Watch");
    await page.plays();
    expect(media.streams.at(-1)).toBe("e313");
    await page.goto(`/watch/${FRAMED}`);
    await page.main.press(/^Watch preview/);
    expect(await frame(page)).toBe(`${PLAYER}preview.html`);
    await page.goto(`/watch/${EMBEDDED}`);
    await page.main.press("Watch");
    expect(await frame(page)).toBe(`${PLAYER}event.html`);
    await page.goto(`/watch/${LIVE}`);
    await page.main.press("Watch live");
    await page.plays();
    expect(media.streams.at(-1)).toBe("l32");
  },
);
