// @vitest-environment jsdom
import { expect, vi } from "vitest";
import { replayText } from "../../eventlog/replay";
import { program } from "../../sagas/program";
import { journey } from "../testing/journey";

journey(
  "a page's log from before its reload can be read, saved as a file, and replayed (LOG-1, OPS-5a)",
  async (page) => {
    await page.goto("/packages");
    await page.within("main h1", "Packages").appears();
    await page.pass(1_500);
    await page.reload();
    await page.within("footer").press("Report a problem");
    const dialog = page.dialog("Report a problem");
    await dialog.fill("What went wrong?", "It went white.");
    await dialog.choose("Before the last reload or crash");
    await dialog.press("Save as a file");
    await page.pass(500);
    const files = await page.browser.savedFiles();
    expect(files).toHaveLength(1);
    const [log = ""] = files;
    expect(log).toContain('"path":"/packages"');
    expect(JSON.parse(log.split("\n")[0] ?? "")).toMatchObject({ window: [window.innerWidth, window.innerHeight] });
    expect(replayText(program, log)).toMatchObject({ status: 0 });
    // The page's own log is another one.
    await dialog.choose("This page");
    await dialog.press("Save as a file");
    await page.pass(500);
    const [, own = ""] = await page.browser.savedFiles();
    expect(own).not.toBe(log);
  },
);

/** Pages of each kind, with and without a viewer's data. */
const PAGES = ["/", "/schedule", "/watch/1", "/vod_library/1", "/packages", "/login", "/faq", "/404"];

journey("each page offers to report a problem (OPS-5a)", async (page) => {
  for (const path of PAGES) {
    await page.goto(path);
    await page.main.appears();
    await page.settles();
    expect(page.can("Report a problem"), path).toBe(true);
  }
});

journey("a recording that is too long is shortened in its middle, and page and file say so (OPS-5b)", async (page) => {
  const { events, videos } = page.channel.state.catalogue;
  events.splice(1);
  videos.splice(0);
  // Without compression, a report is at most a megabyte.
  vi.stubGlobal("CompressionStream", undefined);
  try {
    await page.goto("/search");
    for (let visit = 1; visit <= 30; visit += 1) {
      for (const event of events) event.description = `visit${visit}. ${"An early game. ".repeat(2_500)}`;
      await page.main.fill(/^Search/, `visit${visit}`);
      await page.main.sees(`for “visit${visit}”`);
    }
    await page.within("footer").press("Report a problem");
    const dialog = page.dialog("Report a problem");
    await dialog.sees(/its beginning and its last part are sent, \d+ lines between them are not/);
    const said = Number(/last part are sent, (\d+) lines/.exec(dialog.text())?.[1]);
    await dialog.press("Save as a file");
    await dialog.press("Send");
    await page.dialog().sees("Sent. Thank you.");
    const steps = (log: string): string[] => log.split("\n").filter((line) => line.startsWith('{"seq":'));
    const [whole = ""] = await page.browser.savedFiles();
    const [report] = page.channel.state.reports;
    const log = report?.log ?? "";
    const [all, sent] = [steps(whole), steps(log)];
    expect(said).toBeGreaterThan(100);
    // One line tells of the missing ones.
    expect(all.length - said + 1).toBe(sent.length);
    expect([sent[0], sent.at(-1)]).toEqual([all[0], all.at(-1)]);
    const replayed = replayText(program, log);
    expect(replayed.status).toBe(3);
    expect(JSON.stringify(replayed)).toContain("the recording was too long to be sent whole");
  } finally {
    vi.unstubAllGlobals();
  }
});
