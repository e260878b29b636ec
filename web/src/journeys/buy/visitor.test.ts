// @vitest-environment jsdom
import { expect } from "vitest";
import { journey } from "../testing/journey";

journey(
  "a visitor reads the FAQ, browses events and the library, and is sent to the login to watch (USER-4a, USER-4d)",
  async (page) => {
    await page.goto("/");
    const menu = page.within("nav");
    await menu.press("FAQ");
    await page.main.sees("What do I need to watch?");
    await menu.press("Library");
    await page.main.sees("Ten plays of the week");
    for (const [path, event] of [
      ["/live", 1],
      ["/upcoming", 4],
      ["/vod", 24],
    ] as const) {
      await page.goto(path);
      await page.main.within(`a[href="/watch/${event}"]`).appears();
    }
    await page.goto("/watch/1");
    await page.main.press("LOGIN TO WATCH");
    await page.isAt(/^\/login/);
    expect(page.channel.requests("POST /api/stripe/buy")).toEqual([]);
  },
);
