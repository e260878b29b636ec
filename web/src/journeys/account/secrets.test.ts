// @vitest-environment jsdom
import { afterEach, expect, it } from "vitest";
import { FakeChannel } from "../testing/channel";
import { CARDS, Page, VERA } from "../testing/journey";
import { secretsIn } from "../testing/secrets";
import { VirtualBrowser } from "../testing/virtualBrowser";

let browser: VirtualBrowser;
afterEach(() => browser.close());

it("the search at the end of each journey finds planted secrets in every location (LOG-2)", async () => {
  VirtualBrowser.startClock();
  browser = new VirtualBrowser(new FakeChannel());
  const page = new Page(browser);
  await page.signIn();
  await page.goto("/profile");
  await page.press("Add a card");
  await page.enterCard(CARDS.pays);
  await page.press("Save card");
  await page.sees("Visa ending in 4242");
  await page.pass(1_500);
  expect(await secretsIn(browser)).toEqual([]);
  const key = page.channel.exchanges.findLast((one) => one.key !== null)?.key ?? "";
  sessionStorage.setItem("planted", `mail ${VERA.email}`);
  localStorage.setItem("planted", btoa(VERA.password));
  history.replaceState({ planted: "4242 4242 4242 4242" }, "", `/profile?api_key=${key}`);
  const found = await secretsIn(browser);
  expect(new Set(found.map(({ place }) => place))).toEqual(new Set(["sessionStorage", "localStorage", "page"]));
  expect(found.map(({ secret }) => secret)).toEqual(
    expect.arrayContaining([VERA.email, "4242 4242 4242 4242", key, btoa(VERA.password).replace(/=+$/, "")]),
  );
});
