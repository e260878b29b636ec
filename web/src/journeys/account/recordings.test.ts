// @vitest-environment jsdom
import { expect } from "vitest";
import { listLogs } from "../../eventlog/archive";
import { replayText } from "../../eventlog/replay";
import { program } from "../../sagas/program";
import { openLogStorage } from "../../session/storages";
import { journey } from "../testing/journey";

/** Traces of a visit: typed texts, a filter, and a page. */
const TRACES = ["gull", "ten plays", "city=Westhaven", '"path":"/search"'];
const tracesIn = (log: string): string[] => {
  const plain = log.replaceAll(GAMES, "");
  return TRACES.filter((trace) => plain.includes(trace));
};
/** Texts of the channel that contain a typed one. */
const GAMES = /Harbor City Gulls|harbor-city-gulls|Gulls/gi;

journey("a recording exported after logout contains nothing of the previous viewer (LOG-4)", async (page) => {
  await page.signIn();
  await page.goto("/");
  await page.main.appears();
  await page.goto("/profile/transactions");
  await page.main.sees("Transactions");
  expect(await page.exportedLog()).toContain("auth/profileLoaded");
  await page.main.press("Log out");
  await page.isAt(/^\/login/);
  await page.pass(1_000);
  const log = await page.exportedLog();
  expect(log.split("\n")[1]).toContain('"kind":"snapshot"');
  expect(log).not.toContain("auth/profileLoaded");
  expect(log).not.toMatch(/auth\/logoutPressed|"userId"/);
  // The reducers replay it as it is.
  expect(replayText(program, log)).toMatchObject({ status: 3 });
  let logs = Number.NaN;
  await page.browser.until(() => {
    listLogs(openLogStorage()).then((found) => {
      logs = found.length;
    });
    expect(logs).toBe(1);
  });
});

journey(
  "a recording exported after logout names neither the searches nor the pages before it (LOG-4)",
  async (page) => {
    await page.signIn();
    await page.goto("/vod_library?title=ten+plays");
    await page.main.sees("Ten plays of the week");
    await page.settles();
    await page.goto("/vod?city=Westhaven");
    await page.main.sees("Rams Ice Center");
    await page.settles();
    await page.goto("/search?q=gull");
    await page.main.sees("Harbor City @ Easton");
    // Opening a result remembers the search.
    (page.main.all(".search__section a")[0] as HTMLElement).click();
    await page.isAt(/^\/watch\//);
    await page.within("header").press(/^Your account/);
    await page.isAt("/profile");
    await page.settles();
    expect(tracesIn(await page.exportedLog())).toEqual(TRACES);
    await page.main.press("Log out");
    await page.isAt(/^\/login/);
    await page.pass(1_000);
    const log = await page.exportedLog();
    expect(log.split("\n")[1]).toContain('"kind":"snapshot"');
    expect(tracesIn(log)).toEqual([]);
  },
);

journey(
  "a session that ends on another device takes its search from the page and the recording (LOG-4)",
  async (page) => {
    const person = await page.signIn();
    await page.goto("/search?q=gull");
    await page.main.sees("Harbor City @ Easton");
    await page.settles();
    expect(tracesIn(await page.exportedLog())).toEqual(["gull", '"path":"/search"']);
    for (const { key } of [...person.devices]) page.channel.state.people.revoke(key);
    await page.main.fill(/^Search games/, "gulls");
    await page.isAt("/search");
    await page.settles();
    expect((await page.main.field(/^Search games/)).value).toBe("");
    const log = await page.exportedLog();
    expect(log.split("\n")[1]).toContain('"kind":"snapshot"');
    expect(tracesIn(log)).toEqual(['"path":"/search"']);
  },
);

journey("a recording continues while its viewer stays (LOG-4)", async (page) => {
  await page.goto("/login");
  await page.main.sees("Log in");
  expect((await page.exportedLog()).split("\n")[1]).toContain('"seq":1,');
  await page.goto("/packages");
  await page.main.sees("Subscriptions");
  expect((await page.exportedLog()).split("\n").slice(0, 3).join()).toContain('"seq":1,');
});
