import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untilQuiet } from "../support/idle";
import { expect, test } from "../support/journey";

const CHANNELS = join(import.meta.dirname, "../../../fixtures/channels");
const folder = mkdtempSync(join(tmpdir(), "touchline-tagged-"));

/** The demo's French channel, which asks for consent, with a container of the tag manager. */
function tagged(): string {
  cpSync(CHANNELS, folder, { recursive: true });
  const file = join(folder, "laurentides/settings.json");
  const settings = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...settings, "google-analytics": "GTM-TEST1" }));
  return folder;
}

test.use({ flags: ["--channels", tagged()] });
// One process runs several tests of this file, each after its own end of the file.
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

test("a channel's tag manager is loaded when the viewer agrees, and hears of pages; so does the datalake (ANA-5)", async ({
  page,
  worker,
}) => {
  const asked: string[] = [];
  await page.route("https://www.googletagmanager.com/**", (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: "text/javascript", body: "window.heard = window.dataLayer;" });
  });
  const recorded: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/datalake/")) recorded.push(request.url());
  });
  await page.goto(worker.origin.replace("127.0.0.1", "laurentides.localhost"));
  await expect(page.getByText("Ce site peut-il enregistrer votre utilisation ?")).toBeVisible();
  await untilQuiet(page);
  expect({ asked, recorded }).toEqual({ asked: [], recorded: [] });

  await page.getByRole("button", { name: "Oui", exact: true }).click();
  const heard = () =>
    page.evaluate(() =>
      ((globalThis as unknown as { heard?: { event?: string; page_path?: string }[] }).heard ?? []).map(
        ({ event, page_path }) => `${event} ${page_path ?? ""}`.trim(),
      ),
    );
  await expect.poll(heard).toEqual(["gtm.js", "page_view /"]);
  expect(asked).toEqual(["https://www.googletagmanager.com/gtm.js?id=GTM-TEST1"]);
  await expect.poll(() => recorded.some((url) => url.endsWith("/datalake/batch"))).toBe(true);

  // Whoever takes it back is on a page without it.
  const loadedAgain = page.waitForEvent("load");
  await page.getByRole("button", { name: "Ne plus enregistrer mes visites" }).click();
  await loadedAgain;
  await expect(page.getByRole("button", { name: "Permettre d’enregistrer mes visites" })).toBeVisible();
  await expect.poll(heard).toEqual([]);
  expect(asked).toHaveLength(1);
});

test("no container is on a page where a password is typed, and none reads the secrets of a mailed link (LOG-2)", async ({
  page,
  worker,
}) => {
  const asked: string[] = [];
  await page.route("https://www.googletagmanager.com/**", (route) => {
    asked.push(page.url());
    return route.fulfill({ contentType: "text/javascript", body: "window.heard = window.dataLayer;" });
  });
  const runs = () => page.evaluate(() => "heard" in window);
  const site = worker.origin.replace("127.0.0.1", "laurentides.localhost");
  await page.goto(site);
  await page.getByRole("button", { name: "Oui", exact: true }).click();
  await expect.poll(runs).toBe(true);

  const loadedAgain = page.waitForEvent("load");
  await page.getByRole("banner").getByRole("link", { name: "Connexion" }).click();
  await loadedAgain;
  await expect(page).toHaveURL(/\/login$/);
  await expect(page.getByLabel("Courriel")).toBeVisible();
  await untilQuiet(page);
  expect([await runs(), asked.length]).toEqual([false, 1]);
  // Elsewhere it is loaded again.
  await page.getByRole("banner").getByRole("link", { name: "Accueil" }).click();
  await expect.poll(runs).toBe(true);

  asked.length = 0;
  await page.goto(`${site}/password-reset?email=vera%40viewer.example&expires=4000000000&signature=00ff`);
  await expect(page).toHaveURL(`${site}/password-reset`);
  // It was read before.
  await expect(page.getByLabel("Nouveau mot de passe").first()).toBeVisible();
  await page.getByRole("banner").getByRole("link", { name: "Accueil" }).click();
  await expect(page.getByRole("main").getByRole("link").first()).toBeVisible();
  await untilQuiet(page);
  // The browser remembers with what address the page was opened.
  expect([await runs(), asked]).toEqual([false, []]);
});
