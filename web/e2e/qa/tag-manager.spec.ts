import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilQuiet } from "../support/idle";
import { expect, test } from "../support/journey";

const CHANNELS = join(import.meta.dirname, "../../../fixtures/channels");
const folder = mkdtempSync(join(tmpdir(), "touchline-tagged-"));

/** The demo's French channel, which asks for consent, with a tag manager container. */
function tagged(): string {
  cpSync(CHANNELS, folder, { recursive: true });
  const file = join(folder, "laurentides/settings.json");
  const settings = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...settings, "google-analytics": "GTM-TEST1" }));
  return folder;
}

test.use({ flags: ["--channels", tagged()] });
// One process runs several tests of this file, each of which ends the file.
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

test("a channel's tag manager loads after consent, receives pages, and is absent from pages with a password or a mailed link's secrets; so is the datalake (ANA-5a, ANA-5b, ANA-7, LOG-2, START-1c)", async ({
  page,
  worker,
}) => {
  const containers = new Set<string>();
  const loadedAt: string[] = [];
  await page.route("https://www.googletagmanager.com/**", (route) => {
    containers.add(route.request().url());
    loadedAt.push(page.url());
    return route.fulfill({ contentType: "text/javascript", body: "window.received = window.dataLayer;" });
  });
  const recorded: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/datalake/")) recorded.push(request.url());
  });
  const messages = () =>
    page.evaluate(() =>
      ((globalThis as unknown as { received?: { event?: string; page_path?: string }[] }).received ?? []).map(
        ({ event, page_path }) => `${event} ${page_path ?? ""}`.trim(),
      ),
    );
  const runs = () => page.evaluate(() => "received" in window);
  const header = page.getByRole("banner");
  const site = worker.origin.replace("127.0.0.1", "laurentides.localhost");
  await page.goto(site);
  await expect(page.getByText("Autoriser les statistiques d’utilisation ?")).toBeVisible();
  await untilQuiet(page);
  expect({ loadedAt, recorded }).toEqual({ loadedAt: [], recorded: [] });

  await page.getByRole("button", { name: "Autoriser", exact: true }).click();
  await expect.poll(messages).toEqual(["gtm.js", "page_view /"]);
  expect(loadedAt).toHaveLength(1);
  await expect.poll(() => recorded.some((url) => url.endsWith("/datalake/batch"))).toBe(true);

  // A page with a password field is reloaded without it.
  let loadedAgain = page.waitForEvent("load");
  await header.getByRole("link", { name: "Connexion" }).click();
  await loadedAgain;
  await expect(page).toHaveURL(/\/login$/);
  await expect(page.getByLabel("Courriel")).toBeVisible();
  await untilQuiet(page);
  expect([await runs(), loadedAt.length]).toEqual([false, 1]);
  // Other pages are reloaded with it.
  await header.getByRole("link", { name: "Accueil" }).click();
  await expect.poll(runs).toBe(true);

  // Withdrawing consent reloads the page without it.
  loadedAgain = page.waitForEvent("load");
  await page.getByRole("button", { name: "Désactiver les statistiques d’utilisation" }).click();
  await loadedAgain;
  const agree = page.getByRole("button", { name: "Activer les statistiques d’utilisation" });
  await expect(agree).toBeVisible();
  await expect.poll(messages).toEqual([]);
  expect(loadedAt).toHaveLength(2);
  await agree.click();
  await expect.poll(runs).toBe(true);

  loadedAt.length = 0;
  await page.goto(`${site}/password-reset?email=vera%40viewer.example&expires=4000000000&signature=00ff`);
  await expect(page).toHaveURL(`${site}/password-reset`);
  // It was read before.
  await expect(page.getByLabel("Nouveau mot de passe").first()).toBeVisible();
  await header.getByRole("link", { name: "Accueil" }).click();
  await expect(page.getByRole("main").getByRole("link").first()).toBeVisible();
  await untilQuiet(page);
  // The browser records the address with which the page was opened.
  expect([await runs(), loadedAt]).toEqual([false, []]);
  expect(containers).toEqual(new Set(["https://www.googletagmanager.com/gtm.js?id=GTM-TEST1"]));
});
