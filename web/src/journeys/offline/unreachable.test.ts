// @vitest-environment jsdom
import { expect } from "vitest";
import { QUIET_MS, SILENCE_MS } from "../../machines/reachability";
import { journey, type Page } from "../testing/journey";

const BANNER = "We can’t reach the channel.";
const MISSING = "Not available offline";
/** Time until a short outage's end is noticed, in milliseconds. */
const RETURN_MS = 2_000;
/** Time until the end of an outage of more than a minute is noticed, in milliseconds. */
const LONG_RETURN_MS = 10_000;
const PATHS = ["/", "/schedule", "/packages", "/faq", "/about", "/watch/1", "/vod", "/search"];

const time = (at: number): string =>
  new Date(at).toLocaleTimeString("en", { hour: "numeric", minute: "2-digit" }).replace(/\s/g, " ");
const lacksNotice = (page: Page): void => expect(page.text()).not.toContain(BANNER);

function open(path: string): void {
  window.history.pushState(null, "", path);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

for (const network of ["refused", "silent"] as const) {
  journey(
    `a ${network} network: the page says so in time, and goes on by itself once it returns (CALL-14a, CALL-14c)`,
    async (page) => {
      await page.goto("/faq");
      await page.settles();
      const openedAt = Date.now();
      await page.pass(120_000);
      page.browser.setNetwork(network);
      open("/watch/1");
      if (network === "silent") {
        await page.browser.until(() => expect(page.channel.pending).toBeGreaterThan(0));
        await page.pass(SILENCE_MS - 100);
        lacksNotice(page);
        await page.pass(200);
      } else await page.main.sees(MISSING);
      expect(page.text()).toContain(BANNER);
      expect(page.text()).toContain(`Last updated today ${time(openedAt)}, 2 min ago.`);
      expect(page.main.text()).toContain(MISSING);
      expect(page.main.text()).not.toContain("contact technical support");
      await page.pass(40_000);
      page.browser.setNetwork("works");
      await page.pass(RETURN_MS);
      lacksNotice(page);
      expect(page.main.text()).not.toContain(MISSING);
      await page.main.sees("Harbor City");
    },
  );
}

for (const network of ["refused", "silent"] as const)
  journey(`a ${network} network that returns after minutes is noticed within ten seconds (CALL-14c)`, async (page) => {
    await page.goto("/faq");
    await page.settles();
    page.browser.setNetwork(network);
    open("/watch/1");
    await page.sees(BANNER);
    await page.pass(5 * 60_000);
    page.browser.setNetwork("works");
    await page.pass(LONG_RETURN_MS);
    lacksNotice(page);
    await page.main.sees("Harbor City");
  });

for (const network of ["refused", "silent", "portal", "restarting"] as const)
  journey(
    `every screen on a ${network} network opens or says what is missing, and returns (CALL-14b, CALL-14c)`,
    async (page) => {
      await page.goto("/");
      await page.settles();
      for (const path of PATHS) {
        page.browser.setNetwork(network);
        open(path);
        await page.pass(2 * SILENCE_MS);
        expect(page.main.text(), path).not.toContain("contact technical support");
        page.browser.setNetwork("works");
        await page.pass(RETURN_MS);
        lacksNotice(page);
        expect(page.main.text(), path).not.toContain(MISSING);
      }
    },
  );

journey(
  "live games and buying follow the rules of offline while the channel is unreachable (CALL-14b)",
  async (page) => {
    await page.signIn();
    await page.goto("/watch/1");
    await page.main.sees(/Buy for/);
    page.browser.setNetwork("refused");
    await page.sees(BANNER);
    await page.main.sees("Connection required");
    await page.main.lacks(/Buy for/);
    page.browser.setNetwork("works");
    await page.pass(RETURN_MS);
    await page.main.sees(/Buy for/);
  },
);

journey("slow answers raise no notice (CALL-14d)", async (page) => {
  const { fetch } = page.channel;
  Object.assign(page.channel, {
    // A round trip of 400 ms, 2 s of the worker's time, and its share of 400 kbit/s.
    fetch: async (...request: Parameters<typeof fetch>) => {
      const answer = await fetch(...request);
      await new Promise((done) => setTimeout(done, 2_900));
      return answer;
    },
  });
  const notices: string[] = [];
  const watch = new MutationObserver(() => {
    if (document.body.textContent?.includes(BANNER)) notices.push(page.browser.address);
  });
  watch.observe(document, { subtree: true, childList: true });
  for (const path of ["/", "/schedule", "/packages", "/watch/1", "/"]) {
    await page.goto(path);
    await page.pass(5 * QUIET_MS);
  }
  expect(notices).toEqual([]);
  watch.disconnect();
});

journey("a page that is left without a network starts again with one (CALL-14)", async (page) => {
  await page.goto("/faq");
  await page.settles();
  page.browser.setOnline(false);
  await page.sees("You’re offline.");
  await page.pass(1_000);
  // The network returns while no page is open.
  window.addEventListener("online", (event) => event.stopImmediatePropagation(), { capture: true });
  page.browser.setOnline(true);
  await page.reload();
  await page.main.within("h1").appears();
  await page.settles();
  await page.lacks("You’re offline.");
  lacksNotice(page);
});

journey("a purchase ends although its socket passes nothing more (PAY-3, CALL-14)", async (page) => {
  await page.signIn();
  await page.goto("/buy?event_id=1");
  await page.enterCard();
  page.browser.channel.sockets.silent = true;
  const pressedAt = Date.now();
  await page.press(/^Pay /);
  await page.sees("Paid");
  expect(Date.now() - pressedAt).toBeLessThan(10_000);
  lacksNotice(page);
});
