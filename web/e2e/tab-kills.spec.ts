import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { BrowserContext, Page } from "@playwright/test";
import { readLake } from "./support/books";
import { expect, test } from "./support/journey";
import { register, VERA } from "./support/viewer";

/** How many tabs are killed. `make soak` kills 100. */
const KILLS = Number(process.env.TAB_KILLS ?? 10);
const SEED = Number(process.env.TAB_KILLS_SEED ?? 20_260_901);
/** A tab dies at some moment within this time of what its viewer did, milliseconds: before, while and after it is sent. */
const WITHIN_MS = { buy: 3_000, heart: 800, browse: 800 } as const;

/** Paid events of the demo, each with two teams. */
const EVENTS = [1, 2, 4, 6, 7, 8, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 23, 24, 26, 28, 29, 30, 32, 34, 35, 36];

/** A seeded source of numbers of [0, 1): mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const READ_KEPT = `
import json, sqlite3, sys
books = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
ask = lambda sql: books.execute(sql).fetchall()
print(json.dumps({
  "favourites": [i for i, in ask("SELECT favoritable_id FROM favorites WHERE kind = 'participant'")],
  "orders": [{"product": p, "status": s} for p, s in ask("SELECT product_id, status FROM orders")],
  "charges": [s for s, in ask("SELECT status FROM sandbox_charges")],
}))
`;

interface Kept {
  readonly favourites: readonly number[];
  readonly orders: readonly { readonly product: number; readonly status: string }[];
  readonly charges: readonly string[];
}

/** What the worker keeps of its viewers. */
const readKept = (data: string): Kept =>
  JSON.parse(execFileSync("python3", ["-c", READ_KEPT, join(data, "channel.sqlite")], { encoding: "utf8" })) as Kept;

/** What went out of the browser: all of it was stored before. */
interface Sent {
  readonly buys: Map<number, Set<string>>;
  /** The last word on each team. A heart that turns over as it is pressed takes a favourite away. */
  readonly hearts: Map<number, "add" | "remove">;
}

interface Favourite {
  readonly id: number;
  readonly favoritable_id: number;
}

function hear(context: BrowserContext): Sent {
  const sent: Sent = { buys: new Map(), hearts: new Map() };
  /** The teams of the favourites that were answered. */
  const teams = new Map<number, number>();
  context.on("request", (request) => {
    const { pathname } = new URL(request.url());
    const body = () => request.postDataJSON() as { id?: number; favoritable_id?: number };
    if (pathname === "/api/stripe/buy") {
      const { id = 0 } = body();
      const keys = sent.buys.get(id) ?? new Set();
      sent.buys.set(id, keys.add(request.headers()["idempotency-key"] ?? ""));
    }
    if (pathname === "/api/favorite") sent.hearts.set(body().favoritable_id ?? 0, "add");
    const removed = /^\/api\/favorite\/(\d+)$/.exec(pathname)?.[1];
    const team = teams.get(Number(removed));
    if (team !== undefined) sent.hearts.set(team, "remove");
  });
  context.on("response", async (response) => {
    const { pathname } = new URL(response.url());
    if (!/^\/api\/favorites?$/.test(pathname)) return;
    // A tab that died took its answers with it.
    const answer = (await response.json().catch(() => null)) as { data?: Favourite | Favourite[] } | null;
    for (const { id, favoritable_id } of [answer?.data ?? []].flat()) teams.set(id, favoritable_id);
  });
  return sent;
}

const account = (page: Page) => page.getByRole("banner").getByRole("link", { name: /^Your account/ });

/** Ends a tab's process as a crash or the system would: nothing of it runs any more. */
async function kill(context: BrowserContext, page: Page): Promise<void> {
  const gone = page.waitForEvent("crash");
  const session = await context.newCDPSession(page);
  session.send("Page.crash").catch(() => undefined);
  await gone;
  await page.close();
}

async function pressPay(page: Page, event: number): Promise<void> {
  // Another purchase, taken over from a dead tab, may be under way: nothing else is sold until it is settled.
  await expect(async () => {
    await page.goto(`/watch/${event}`);
    const buy = page.getByRole("main").getByRole("link", { name: /^Buy for/ });
    await buy.first().click();
    const pay = page.getByRole("button", { name: /^Pay / });
    await expect(pay).toBeVisible();
    const number = page.getByLabel("Card number");
    if (await number.isVisible()) {
      await number.fill(VERA.card);
      await page.getByLabel("Expires").fill("12/30");
      await page.getByLabel("Security code").fill("123");
    }
    await pay.click({ timeout: 4_000 });
  }).toPass({ timeout: 60_000 });
}

async function pressHeart(page: Page, event: number): Promise<void> {
  await page.goto(`/watch/${event}`);
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Add to favourites/ })
    .first()
    .click({ timeout: 5_000 });
}

/** Who logs in takes a new key: the tabs beside stay logged in. */
async function logInAgain(page: Page, other: Page): Promise<void> {
  await page.goto("/profile");
  await page.getByRole("button", { name: "Log out" }).first().click();
  await expect(account(page)).toHaveCount(0);
  await expect(account(other)).toHaveCount(0);
  await page.goto("/login");
  await page.getByLabel("Email").fill(VERA.email);
  await page.getByLabel(/^Password/).fill(VERA.password);
  await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
  await expect(account(page)).toBeVisible();
  await expect(account(other)).toBeVisible();
  await other.goto("/profile");
  await expect(other).toHaveURL(/profile/);
  await expect(account(other)).toBeVisible();
}

test(`${KILLS} tabs are killed, and nothing confirmed is lost or done twice`, async ({
  page,
  context,
  worker,
}, info) => {
  test.setTimeout(120_000 + KILLS * 45_000);
  const random = createRandom(SEED);
  const among = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const sent = hear(context);
  const events = [...EVENTS];

  await register(page);
  const second = await context.newPage();
  await second.goto("/");
  await expect(account(second)).toBeVisible();
  let tabs: readonly [Page, Page] = [page, second];

  for (let killed = 0; killed < KILLS; killed += 1) {
    const [actor, other] = random() < 0.5 ? tabs : ([tabs[1], tabs[0]] as const);
    const what = among(["buy", "heart", "heart", "browse"] as const);
    const moment = Math.floor(random() * WITHIN_MS[what]);
    await test.step(`kill ${killed + 1}: ${what}, after ${moment} ms`, async () => {
      const event = what === "buy" ? events.shift() : undefined;
      if (event !== undefined) await pressPay(actor, event);
      else if (what === "heart") await pressHeart(actor, among(EVENTS)).catch(() => undefined);
      else await actor.goto(among(["/", "/events", "/packages", "/profile"]));
      // The moment of a death is drawn, not waited for.
      await new Promise((resolve) => setTimeout(resolve, moment));
      await kill(context, actor);

      // What went out was stored: the tab that is left brings it to its end.
      const asked = [...sent.buys.keys()];
      await expect
        .poll(() => readKept(worker.data).orders.filter(({ status }) => status === "paid").length, { timeout: 40_000 })
        .toBe(asked.length);
      const next = await context.newPage();
      await next.goto("/");
      await expect(account(next)).toBeVisible();
      await expect(account(other)).toBeVisible();
      tabs = [other, next];
      if (killed % 5 === 4) await logInAgain(next, other);
    });
  }

  const [tab] = tabs;
  await tab.goto("/profile/transactions");
  await expect(tab.getByRole("main")).toBeVisible();
  // A heart whose request was cut off as its tab died is sent again.
  await expect
    .poll(() => readKept(worker.data).favourites.toSorted((a, b) => a - b), { timeout: 30_000 })
    .toEqual([...sent.hearts].flatMap(([team, word]) => (word === "add" ? [team] : [])).sort((a, b) => a - b));
  const { orders, charges } = readKept(worker.data);
  info.annotations.push({ type: "confirmed", description: `${orders.length} purchases, ${sent.hearts.size} hearts` });
  expect(orders.length + sent.hearts.size, "something was confirmed before a tab died").toBeGreaterThan(0);
  const bought = orders.map(({ product }) => product);
  expect(new Set(bought).size, "one order a product").toBe(bought.length);
  expect(
    charges.filter((status) => status === "succeeded"),
    "one charge an order",
  ).toHaveLength(orders.length);
  for (const [event, keys] of sent.buys) {
    expect(bought).toContain(event);
    expect([...keys], "one key a purchase").toHaveLength(1);
  }
  const rows = readLake(worker.data).map(({ event_id }) => event_id);
  expect(new Set(rows).size, "no event twice").toBe(rows.length);
});
