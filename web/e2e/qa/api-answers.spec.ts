import { readFileSync } from "node:fs";
import { join } from "node:path";
import { copiedChannels } from "../support/channels";
import { expect, test } from "../support/journey";
import type { Worker } from "../support/worker";

// The running worker's answers to an arbitrary API client: no browser.

type Fields = Readonly<Record<string, unknown>>;

const channels = copiedChannels();
const prerolls = join(import.meta.dirname, "../../../fixtures/channels/northfield/prerolls.json");
channels.write("prerolls.json", JSON.parse(readFileSync(prerolls, "utf8")));
// An event that ended in 2021.
channels.setEvent(24, ({ starts_on: _, ...event }) => ({ ...event, event_utc_ts: 1_640_000_000 }));
const JSON_BODY = { "content-type": "application/json" };

/** A client with a key of its own; `person` registers. */
async function client({ origin }: Worker, person?: string) {
  const post = async (path: string, body: Fields, more: Record<string, string> = {}) => {
    const headers = { ...JSON_BODY, ...more };
    const answer = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Fields };
  };
  const keyIn = ({ body }: { body: Fields }): string => (body.data as { api_key: string }).api_key;
  const { channel_key } = (await (await fetch(`${origin}/keys/127.0.0.1.json`)).json()) as { channel_key: string };
  const anonymous = keyIn(await post("/api/get_api_key", { channel_key }));
  const registration = {
    api_key: anonymous,
    email: person,
    password: "correct horse",
    password_confirmation: "correct horse",
    first_name: "Vera",
    last_name: "Z",
    terms: true,
  };
  const key = person === undefined ? anonymous : keyIn(await post("/api/v2/auth/register", registration));
  return {
    get: async (path: string): Promise<{ status: number; body: Fields }> => {
      const separator = path.includes("?") ? "&" : "?";
      const answer = await fetch(`${origin}/api/${path}${separator}api_key=${key}`);
      return { status: answer.status, body: (await answer.json()) as Fields };
    },
    data: async function <T = readonly Fields[]>(path: string): Promise<T> {
      const { status, body } = await this.get(path);
      expect(status, path).toBe(200);
      return body.data as T;
    },
    remove: async (path: string): Promise<number> =>
      (await fetch(`${origin}/api/${path}?api_key=${key}`, { method: "DELETE" })).status,
    post: (path: string, body: Fields, headers?: Record<string, string>) =>
      post(`/api/${path}`, { api_key: key, ...body }, headers),
  };
}

const listIn = (value: Fields | undefined, field: string): readonly Fields[] => (value?.[field] ?? []) as Fields[];
const expectFields = (value: Fields | undefined, ...names: readonly string[]): void =>
  expect(Object.keys(value ?? {})).toEqual(expect.arrayContaining([...names]));

test.describe.configure({ mode: "default" });
test.use({ sharesWorker: true, flags: ["--channels", channels.path, "--sandbox-delay-ms", "0"] });
test.afterAll(() => channels.remove());

test("a channel serves the data of its pages (EVENT-1, SET-1a, PAGE-1, PAGE-2, VOD-1, VOD-2c, PRE-1, LIST-5, CALL-4, CALL-5, CALL-7)", async ({
  worker,
}) => {
  const visitor = await client(worker);
  const event = await visitor.data<Fields>("events/1");
  expectFields(event, "id", "name", "type", "has_access", "event_utc_ts", "time_zone", "event_category_id");
  expectFields(event, "location_id", "home_team_id", "stream_status", "base_price", "service_fee", "participants");
  const [team] = event.participants as Fields[];
  expectFields(team, "id", "name", "short_name", "alias", "images", "color", "properties");

  const all = await visitor.data("events?limit=100&start_date=2020-01-01");
  expect(new Set(all.map(({ stream_status }) => stream_status))).toEqual(new Set(["upcoming", "live", "finished"]));
  for (const { event_utc_ts, duration_s, stream_status } of all as {
    event_utc_ts: number;
    duration_s: number;
    stream_status: string;
  }[]) {
    const [now, starts] = [Date.now() / 1_000, event_utc_ts];
    if (stream_status === "upcoming") expect(starts).toBeGreaterThan(now - 5);
    else expect(starts + (stream_status === "finished" ? duration_s : 0)).toBeLessThan(now + 5);
  }
  const kinds = all.flatMap(({ media = [] }) => (media as { type: number }[]).map(({ type }) => type));
  // Live, a recording, thumbnails, a preview.
  expect(new Set(kinds)).toEqual(new Set([2, 3, 5, 6]));
  // Ended before August 2022: listed only on request.
  const finished = (query: string) => visitor.data(`events?stream_status=finished&limit=100${query}`);
  expect((await finished("")).map(({ id }) => id)).not.toContain(24);
  expect((await finished("&start_date=2020-01-01")).map(({ id }) => id)).toContain(24);

  const [basketball] = await visitor.data("events-categories");
  expectFields(basketball, "id", "children");
  expectFields(listIn(basketball, "children")[0], "id", "children");

  const settings = await visitor.data<Fields>("settings");
  expectFields(settings, "language", "currency", "yare-analytics", "auth", "prerolls", "static_blocks");
  const [spot] = settings.prerolls as Fields[];
  expectFields(spot, "id", "url", "weight", "event_categories", "for_vod", "for_live");
  expect((settings.prerolls as Fields[]).some((one) => "location_id" in one)).toBe(true);
  expectFields((await visitor.data("pages"))[0], "id", "url", "alt_name", "name");
  const { groups } = await visitor.data<{ groups: Fields[] }>("menu");
  expectFields(groups[0], "name", "images", "id", "alias");
  const slides = await visitor.data("slides/web");
  expect(slides.some(({ slidable_type }) => slidable_type === undefined)).toBe(true);
  const bySport = await visitor.data("slides/web?type=category");
  expect(bySport.every((slide) => slide.slidable_type === "category" && typeof slide.slidable_id === "number")).toBe(
    true,
  );

  const [rail] = await visitor.data("vod-media-rails");
  expectFields(rail, "id", "title", "vod_media_items");
  const [item] = listIn(rail, "vod_media_items");
  expectFields(item, "id", "title", "date", "assets");
  expectFields(listIn(item, "assets")[0], "type", "path");
  // From the twelve titles with this letter.
  const found = (await visitor.get("vod-media/search?title=e")).body;
  expect(found.meta).toMatchObject({ limit: 10, offset: 0, total: 12 });
  const dates = (found.data as Fields[]).map(({ date }) => String(date));
  expect(dates).toHaveLength(10);
  expect(dates).toEqual(dates.toSorted().toReversed());
});

test("a person reads only their own data, buys once, adds valid favourites, and reports errors without a key (USER-1, USER-5, ORDER-1, PAY-1, PAY-7, FAV-1a, FAV-1c, FAV-2a, FAV-2b, FAV-2d, CALL-10)", async ({
  worker,
}) => {
  const visitor = await client(worker);
  const vera = await client(worker, "vera@viewers.example");
  const paul = await client(worker, "paul@viewers.example");
  const profile = await vera.data<Fields>("profile");
  expectFields(
    profile,
    "id",
    "email",
    "temporary_password",
    "trial_period_used",
    "is_geo_blocked",
    "capabilities",
    "featureCount",
  );
  expect(profile.featureCount).toEqual({ clips: 0, downloads: 0 });

  const { client_secret } = (await vera.post("stripe/setup-intent", {})).body.data as { client_secret: string };
  const entered = { client_secret, number: "4242424242424242", exp: "12/40", cvc: "123" };
  const { body: card } = await vera.post("stripe/sandbox-card", entered);
  const { payment_method_id } = card.data as { payment_method_id: string };
  const game = { type: "event", id: 1, single_event_package_id: 1001, payment_method_id };
  const buy = () => vera.post("stripe/buy", game, { "idempotency-key": crypto.randomUUID() });
  const order = (await buy()).body.data as { id: number };
  const paid = () => vera.data<Fields>(`orders/${order.id}`);
  await expect.poll(async () => (await paid()).status, { timeout: 20_000 }).toBe("paid");
  expectFields(await paid(), "id", "type", "status", "activity_status", "product");
  expect((await paid()).product).toMatchObject({ id: 1 });
  expect(await buy()).toMatchObject({ status: 400, body: { message: "You already bought this event." } });
  for (const [wanted, message] of [
    [{ type: "event", payment_method_id }, "The request is malformed."],
    [{ type: "event", id: 2, payment_method_id }, "id not selected"],
    [{ type: "event", id: 2, single_event_package_id: 1001, payment_method_id }, "id not selected"],
    [{ type: "package", id: 2, payment_method_id }, "Package is TeamPass but team not selected"],
  ] as const) {
    const refused = await vera.post("stripe/buy", wanted, { "idempotency-key": crypto.randomUUID() });
    expect(refused, JSON.stringify(wanted)).toMatchObject({ status: 400, body: { message } });
  }

  const heart = (who: typeof vera, favoritable_type: unknown) =>
    who.post("favorite", { favoritable_id: 101, favoritable_type });
  for (const type of ["planet", "favorite_event", "event_location", 7]) {
    const { status, body } = await heart(vera, type);
    expect(status, String(type)).toBe(400);
    expect(JSON.stringify(body), String(type)).toMatch(/must (?:be|equal) (?:equal to )?one of/i);
  }
  const marked = (await heart(vera, "participant")).body.data as Fields;
  expect(marked).toMatchObject({ favoritable_id: 101, favoritable_type: "participant" });
  expect(await visitor.get("favorites")).toMatchObject({ status: 401, body: { message: "user must be logged in" } });

  // Vera's resources are private, including her device, which nobody else can log out.
  const devices = await vera.data<{ id: number }[]>("auth/sessions");
  expect(devices).toHaveLength(1);
  const others = await paul.data<{ id: number }[]>("auth/sessions");
  expect(others).toHaveLength(1);
  expect(others[0]?.id).not.toBe(devices[0]?.id);
  expect(await paul.remove(`auth/sessions/${devices[0]?.id}`)).toBe(404);
  expect((await vera.get("profile")).status).toBe(200);
  for (const list of ["orders", "favorites", "clips/user"]) expect(await paul.data(list), list).toEqual([]);
  expect((await paul.get(`orders/${order.id}`)).status).toBe(404);
  expect((await vera.data("favorites")).length).toBe(1);

  // An error log without a key.
  const answer = await fetch(`${worker.origin}/api/error-log`, {
    method: "POST",
    headers: JSON_BODY,
    body: JSON.stringify({
      date: new Date().toISOString(),
      status: 500,
      message: "it broke",
      url: "/watch/1?api_key=of-somebody",
    }),
  });
  expect(answer.ok).toBe(true);
  await expect.poll(() => worker.log()).toContain("it broke");
  expect(worker.log()).not.toContain("of-somebody");
});
