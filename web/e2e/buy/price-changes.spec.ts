import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../support/journey";
import { readCharges } from "../support/records";
import { enterCard, pressPay, register } from "../support/viewer";

const CHANNELS = join(import.meta.dirname, "../../../fixtures/channels");
const SENTENCE = "Content not available in the region.";

interface Priced {
  id: number;
  base_price: number;
}

test.describe("a price that is edited in the channel's folder while its page is open (PAY-10)", () => {
  const folder = mkdtempSync(join(tmpdir(), "touchline-prices-"));
  cpSync(CHANNELS, folder, { recursive: true });
  test.use({ flags: ["--channels", folder] });
  test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const setPrice = (id: number, base_price: number) => {
    const file = join(folder, "northfield/events.json");
    const events = JSON.parse(readFileSync(file, "utf8")) as Priced[];
    writeFileSync(file, JSON.stringify(events.map((event) => (event.id === id ? { ...event, base_price } : event))));
  };

  test("is not paid before it was shown, and then by a press of its own", async ({ page, worker }) => {
    // A page that hears of the edit shows the new price by itself: this one hears nothing.
    await page.routeWebSocket(/\/sync$/, (socket) => socket.close({ code: 1011 }));
    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/stripe/buy")) keys.push(request.headers()["idempotency-key"]);
    });
    await register(page);
    await page.goto("/watch/1");
    await page.getByRole("main").getByRole("link", { name: "Buy for $8.59" }).first().click();
    await enterCard(page);
    const pay = page.getByRole("button", { name: "Pay $8.59" });
    await expect(pay).toBeVisible();

    setPrice(1, 30_100);
    // The worker takes the folder up by itself.
    await expect
      .poll(
        async () => {
          const { data } = await (
            await page.request.post("/api/get_api_key", { data: { channel_key: "northfield" } })
          ).json();
          const event = await (await page.request.get(`/api/events/1?api_key=${data.api_key}`)).json();
          return event.data.base_price;
        },
        { timeout: 30_000 },
      )
      .toBe(30_100);
    await pay.click();
    const dialog = page.getByRole("dialog", { name: "The price is now $301.60" });
    await expect(dialog).toContainText("Nothing was paid.");
    await expect(dialog.locator("s")).toHaveText("$8.59");
    expect(readCharges(worker.data)).toEqual([]);

    await dialog.getByRole("button", { name: "Pay $301.60" }).click();
    await expect(page.getByText("Paid. Enjoy the game.")).toBeVisible({ timeout: 20_000 });
    expect(readCharges(worker.data)).toEqual([{ amount: 30_160, status: "succeeded" }]);
    expect(new Set(keys).size).toBe(2);
  });
});

test.describe("an event that is closed to Canada (GEO-1)", () => {
  test.use({
    flags: ["--trusted-proxies", "127.0.0.1/32", "--geo-country-header", "x-country"],
    extraHTTPHeaders: { "x-country": "CA" },
    // Its requests would carry no header of the test's.
    serviceWorkers: "block",
  });

  for (const who of ["a visitor", "a viewer"])
    test(`is shown to ${who} there without a price and without a button that buys`, async ({ page }) => {
      if (who === "a viewer") await register(page);
      for (const path of ["/watch/44", "/watch_embed/44", "/buy?type=event&event_id=44&single_event_package_id=1044"]) {
        await page.goto(path);
        await expect(page.getByText(SENTENCE).first()).toBeVisible();
        // Other events, which are sold there, stand below it.
        const texts = page.locator("main :not([data-card], [data-card] *, :has([data-card]))");
        await expect(texts.filter({ hasText: /\$|^Buy|LOGIN TO WATCH/ })).toHaveCount(0);
        await expect(page.getByRole("button", { name: /^Pay/ })).toHaveCount(0);
      }
      await expect(page.getByText(/You seem to be in Canada/)).toBeVisible();
    });
});

test("a card that was declined is not saved, not chosen, and its dialog does not follow the viewer", async ({
  page,
}) => {
  await register(page);
  await pressPay(page, "/watch/1", "4000000000000002");
  const failed = page.getByRole("dialog", { name: "The payment failed" });
  await expect(failed).toBeVisible({ timeout: 20_000 });
  await page.goBack();
  await expect(page).toHaveURL(/\/watch\/1/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Buy for/ })
    .first()
    .click();
  await expect(page.getByRole("radio", { name: /^New card/ })).toBeChecked();
  await expect(page.getByRole("radio")).toHaveCount(1);
});

test("a purchase whose page was loaded anew before the card was entered says that nothing was paid (PAY-12)", async ({
  page,
  worker,
}) => {
  await register(page);
  await page.route("**/api/stripe/setup-intent", () => undefined);
  const asked = page.waitForRequest("**/api/stripe/setup-intent");
  await pressPay(page);
  await asked;
  await page.goto("/");
  const dialog = page.getByRole("dialog", { name: "Nothing was paid." });
  await expect(dialog).toContainText("there is no order and no charge");
  await page.unroute("**/api/stripe/setup-intent");
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(page).toHaveURL(/\/buy/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Pay / })).toBeEnabled();
  expect(readCharges(worker.data)).toEqual([]);
});
