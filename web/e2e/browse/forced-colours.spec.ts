import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { register } from "../support/viewer";

test.use({ serviceWorkers: "block", viewport: { width: 1280, height: 800 } });

/** The computed text colour. */
const colourOf = (one: Locator): Promise<string> => one.evaluate((element) => getComputedStyle(element).color);

/** Compares the text colours of a selected element and another one. */
async function expectDifference(selected: Locator, other: Locator): Promise<void> {
  await expect(selected.first()).toBeVisible();
  expect(await colourOf(selected.first())).not.toBe(await colourOf(other.first()));
}

/** The elements of a page with a state, beside their siblings without it. */
async function undistinguished(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const states = ["aria-pressed", "aria-checked", "aria-selected", "aria-current"] as const;
    const isOn = (element: Element) => states.some((name) => !["false", null].includes(element.getAttribute(name)));
    const main = document.querySelector("main") ?? document.body;
    return [...main.querySelectorAll(states.map((name) => `[${name}]`).join())].filter(isOn).flatMap((element) => {
      const siblings = [...main.querySelectorAll(`.${element.classList[0]}`)].filter((one) => !isOn(one));
      const { color } = getComputedStyle(element);
      return siblings.some((one) => getComputedStyle(one).color === color) ? [element.outerHTML.slice(0, 120)] : [];
    });
  });
}

test("in forced colours the selected one of several is told by its text colour (WIDE-3a)", async ({ page }) => {
  await register(page);
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto("/schedule");
  const hide = page.getByRole("switch", { name: "Hide scores" }).first();
  await expect(hide).toBeVisible();
  const initial = await colourOf(hide);
  await hide.click();
  await expect(hide).toBeChecked();
  expect(await colourOf(hide)).not.toBe(initial);
  const cards = page.getByRole("button", { name: "Cards" });
  const list = page.getByRole("button", { name: "List" });
  await expectDifference(list, cards);
  await cards.click();
  await expectDifference(cards, list);
  for (const path of [
    "/schedule",
    "/profile",
    "/profile/transactions",
    "/vod_library",
    "/select-package/2",
    "/search?q=hockey",
  ]) {
    await page.goto(path);
    await expect(page.locator("main h1").first()).toBeAttached();
    await expect(page.locator("main :is([aria-pressed], [aria-current])").first()).toBeAttached();
    expect(await undistinguished(page), path).toEqual([]);
  }
});

test("the message of a form fits into a window with a phone's keyboard (WIDE-3b)", async ({ page }) => {
  for (const height of [500, 300]) {
    await page.setViewportSize({ width: 390, height });
    await page.goto("/contacts");
    const field = page.locator("[data-field]", { has: page.getByLabel("Message") });
    await field.getByLabel("Message").fill("One line.\n".repeat(40));
    // The header and the bar cover the rest.
    expect((await field.boundingBox())?.height).toBeLessThan(height - 120);
  }
});
