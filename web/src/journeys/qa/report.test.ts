// @vitest-environment jsdom
import { expect } from "vitest";
import { replayText } from "../../eventlog/replay";
import { program } from "../../sagas/program";
import { journey } from "../testing/journey";

journey(
  "a page's log from before its reload can be read, saved as a file, and replayed (LOG-1, OPS-5)",
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
