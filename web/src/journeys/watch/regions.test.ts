// @vitest-environment jsdom
import { expect } from "vitest";
import { journey, type Page } from "../testing/journey";

const SENTENCE = "Content not available in the region.";

/** Elements matching a selector that are marked as blocked. */
const closed = (page: Page, selector: string) =>
  page.browser.untilDisplayed(() => {
    const found = page.all(selector).filter((one) => one.textContent?.includes(SENTENCE));
    if (found.length === 0) throw new Error(`no ${selector} is blocked: ${page.text().slice(0, 1_000)}`);
    return found;
  });

journey(
  "content blocked in a region says so wherever it appears, and offers no video (ERR-9, GEO-1b, GEO-1c)",
  async (page) => {
    const vera = await page.signIn({ email_verified: true });
    const clip = {
      id: 1,
      uuid: "uuid-1",
      event_id: 25,
      event_media_id: 253,
      name: "Abroad",
      start_time: 4,
      duration: 8,
      tags: ["goal"],
      status: "ready" as const,
      created_at: new Date().toISOString(),
      version: 2,
    };
    vera.clips.push(clip);
    // The viewer's country is unknown, which this channel blocks.
    page.channel.state.geo = { country: "", country_code: "", ip: "192.0.2.2", is_geo_blocked: false };
    page.channel.state.blockedCountries = [""];
    await page.goto("/");
    for (const selector of [".hero", ".next-up", ".fixture-row", "section:has(#live) .event-card"])
      await closed(page, selector);
    (page.all(".hero__choose")[0] as HTMLElement).click();
    await page.browser.untilDisplayed(() =>
      expect(page.all(".hero__actions a").map((one) => one.textContent)).toEqual(["Event details"]),
    );
    await page.goto("/live");
    await closed(page, "main .event-card, main .fixture-row");
    await page.goto("/vod_library");
    await closed(page, ".event-card");
    for (const path of ["/vod_library/1", "/vod_library/2", "/watch/25", "/watch_embed/25"]) {
      await page.goto(path);
      await page.main.sees(SENTENCE);
      expect(page.main.can(/^Watch/), path).toBe(false);
    }
    await page.goto("/watch/25");
    await closed(page, ".also-live");
    await page.sees("This event isn’t available in your region.");
    await page.goto("/watch/1");
    await page.sees("This event isn’t available in your region.");

    await page.goto("/profile/clips");
    await closed(page, ".event-card");
    expect(page.can("Download")).toBe(false);
    for (const path of [`/watch_library/${clip.id}`, `/share/${clip.id}/${clip.uuid}`]) {
      await page.goto(path);
      await page.main.sees(SENTENCE);
      expect(page.can(/^(Watch|Download)/), path).toBe(false);
    }
    expect(page.browser.media.loaded).toEqual([]);
  },
);
