import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "./support/journey";

const CHANNELS = join(import.meta.dirname, "../../fixtures/channels");
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
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a channel's tag manager is loaded when the viewer agrees, and hears of pages; so does the datalake", async ({
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
  await page.waitForLoadState("networkidle");
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
