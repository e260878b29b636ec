import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { pressPay, register, VERA } from "../support/viewer";
import { BINARY } from "../support/worker";

const TITLE = "Harbor City @ Northfield";

/** The words of a page's main part that name a game as its file does. */
const spelled = (page: Page) => page.getByRole("main").getByText("Harbor City Gulls at Northfield Kestrels");

test("a game that is bought singly has one title and one word, and no sentence promises what is not so (EVENT-2, USER-2)", async ({
  page,
  worker,
}) => {
  await page.goto("/passes");
  await expect(page.getByText("Each pass is paid once, with no renewal.")).toBeVisible();
  await register(page);
  await pressPay(page);
  await expect(page.locator("video").first()).toBeVisible();

  await page.goto("/live?tab=passes");
  await expect(page.getByRole("main").locator(".fixture-row").first()).toContainText("Yours");
  await page.goto("/");
  const pass = page.locator(".pass-row");
  await expect(pass).toContainText(TITLE);
  await page.goto("/profile");
  await expect(page.locator(".owned")).toContainText(TITLE);
  await expect(spelled(page)).toHaveCount(0);
  // Opened by itself the page knows the title as well.
  await page.goto("/profile/transactions");
  await expect(page.locator(".transactions__what")).toContainText(TITLE);
  await page.getByRole("link", { name: /^Receipt/ }).click();
  await expect(page.locator(".receipt__lines")).toContainText(TITLE);
  await expect(spelled(page)).toHaveCount(0);

  // The library is opened by a subscription, and no pass.
  await page.goto("/vod_library/4");
  const main = page.getByRole("main");
  await expect(main.getByText("A subscription opens this video.")).toBeVisible();
  await expect(main.getByRole("link", { name: "See the packages" })).toBeVisible();

  // Who may neither clip nor watch the library is sent nowhere to do so.
  const named = ["--data", worker.data, "--channel", "northfield", "--email", VERA.email];
  execFileSync(BINARY, ["user", "set", ...named, "--capabilities", "watch,no_ads"]);
  await page.goto("/vod_library/4");
  await expect(main.getByText("Your account may not watch the library.")).toBeVisible();
  await expect(main.getByRole("link", { name: "See the packages" })).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/profile/clips");
  await expect(main.getByText("Your account may not make clips.")).toBeVisible();
  await expect(main.getByRole("link", { name: "Recordings" })).toHaveCount(0);
  const bar = page.locator(".bottom-bar");
  await expect(bar.getByRole("link", { name: "Home" })).toBeVisible();
  await expect(bar.getByRole("link", { name: "Clips" })).toHaveCount(0);
});

test("a French site writes its elisions, colons and days as French does, and has a form where it promises to read (FORM-1, LIST-6)", async ({
  page,
  worker,
}) => {
  const { port } = new URL(worker.origin);
  const open = (path: string) => page.goto(`http://laurentides.localhost:${port}${path}`);
  await open("/?participant=105");
  await expect(page.locator(".team__panel").filter({ hasText: "Forfait équipe" })).toContainText(/^.*Aigles.* : /);
  await expect(page.getByText(/ d[eu] Aigles/)).toHaveCount(0);
  await open("/watch/1");
  await expect(page.getByText(/^Forfait équipe : Pionniers/)).toBeVisible();
  await page.setViewportSize({ width: 360, height: 780 });
  await open("/schedule");
  const today = page.locator(".day-strip__day[aria-current]");
  await expect(today).toBeVisible();
  const isCut = await today.evaluate((day) => {
    const { left, right } = day.getBoundingClientRect();
    const words = [...day.querySelectorAll(".day-strip__name")].map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return range.getBoundingClientRect();
    });
    return words.some((word) => word.left < left || word.right > right);
  });
  expect(isCut, "the day's name runs out of its day").toBe(false);
  await open("/contacts");
  const form = page.getByRole("region", { name: "Écrivez-nous" });
  await form.getByLabel("Votre nom").fill("Camille Roy");
  await form.getByLabel("Votre courriel").fill("camille@viewers.example");
  await form.getByLabel("Sujet").selectOption("Paiement");
  await form.getByLabel(/^Message/).fill("Mon reçu nomme la mauvaise équipe.");
  await form.getByRole("button", { name: "Envoyer" }).click();
  await expect(form.getByText(/^Envoyé/)).toBeVisible();
});
