// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SiteFile } from "../../ports/site";
import { createReportDialogState } from "./dialogState";
import { countLines, fitLog, LONGEST_LOG } from "./fitLog";
import { ReportDialog } from "./ReportDialog";
import { ReportHost } from "./ReportHost";
import { type ProblemReport, sendReport } from "./sendReport";
import { texts } from "./texts";

const HEADER = '{"format":"touchline-log","v":1}';
const action = (index: number): string => `{"seq":${index},"kind":"action","type":"x"}`;
const snapshot = '{"seq":9,"kind":"snapshot","payload":{"state":{},"counters":{},"open":[]}}';

describe("a log that is to be sent", () => {
  it("goes whole where it fits, up to the last character", () => {
    expect(fitLog(`${HEADER}\n`)).toEqual({ at: "whole", text: `${HEADER}\n` });
    const longest = "x".repeat(LONGEST_LOG);
    expect(fitLog(longest).at).toBe("whole");
    expect(fitLog(`${longest}x`).at).toBe("tooLarge");
  });

  it("counts as it will stand in JSON, where quotes and letters beyond ASCII take more", () => {
    expect(fitLog('"'.repeat(600_000)).at).toBe("tooLarge");
    expect(fitLog("é".repeat(600_000)).at).toBe("tooLarge");
    expect(fitLog("e".repeat(600_000)).at).toBe("whole");
  });

  it("is cut to what follows the earliest snapshot from which the rest fits", () => {
    const filling = Array.from({ length: 14_000 }, (_, index) => action(index)).join("\n");
    const early = `${HEADER}\n${filling}\n${snapshot}\n${action(1)}\n${filling.slice(0, 1_000)}`;
    expect(fitLog(early)).toMatchObject({ at: "whole" });
    const text = `${HEADER}\n${filling}\n${snapshot}\n${filling}\n${snapshot}\n${action(2)}`;
    const fitted = fitLog(text);
    expect(fitted.at).toBe("cut");
    if (fitted.at !== "cut") return;
    expect(fitted.text.startsWith(`${HEADER}\n${snapshot}\n${action(0)}`)).toBe(true);
    expect(fitted.text.endsWith(action(2))).toBe(true);
    expect(countLines(fitted.text)).toBe(14_000 + 4);
  });
});

describe("sending", () => {
  const report: ProblemReport = {
    note: "n".repeat(5_000),
    page: "/buy",
    log: HEADER,
    request_ids: Array(60).fill("1"),
  };
  const answering =
    (status: number, body: unknown): typeof fetch =>
    async () =>
      new Response(JSON.stringify(body), { status });

  it("carries what was shown, within the worker's limits, and no key", async () => {
    let asked: { url: unknown; init: RequestInit } | null = null;
    const send = (async (url: unknown, init: RequestInit) => {
      asked = { url, init };
      return new Response(JSON.stringify({ data: { id: "0195c000" } }));
    }) as typeof fetch;
    expect(await sendReport(report, send)).toEqual({ at: "sent", id: "0195c000" });
    const { url, init } = asked as unknown as { url: unknown; init: RequestInit };
    expect([url, init.method, init.credentials]).toEqual(["/api/problem-report", "POST", "omit"]);
    const body = JSON.parse(String(init.body)) as ProblemReport;
    expect(Object.keys(body).toSorted()).toEqual(["log", "note", "page", "request_ids"]);
    expect([body.note.length, body.request_ids.length]).toEqual([4_000, 50]);
  });

  it("tells a refusal from a failure, and takes no other answer for a receipt", async () => {
    const why = async (send: typeof fetch) => {
      const sent = await sendReport(report, send);
      return sent.at === "failed" ? sent.why : sent.at;
    };
    expect(await why(answering(429, {}))).toBe("throttled");
    expect(await why(answering(500, {}))).toBe("failed");
    expect(await why(answering(200, {}))).toBe("failed");
    expect(await why(async () => new Response("<html>"))).toBe("failed");
    expect(await why(() => Promise.reject(new TypeError("no network")))).toBe("failed");
  });
});

describe("the dialog", () => {
  const words = texts.en;
  const file: SiteFile = { name: "touchline-1.jsonl", text: `${HEADER}\n${action(1)}\n` };
  const earlier: SiteFile = { name: "touchline-0.jsonl", text: `${HEADER}\n${action(7)}\n` };
  const saved: SiteFile[] = [];
  const site = {
    presentLog: async () => file,
    earlierLog: async () => earlier as SiteFile | null,
    requestIds: () => ["0195-a", "0195-b"],
    download: (one: SiteFile) => void saved.push(one),
  };

  beforeEach(() => {
    saved.length = 0;
    HTMLDialogElement.prototype.showModal = function showModal() {
      this.open = true;
    };
    HTMLDialogElement.prototype.close = function close() {
      this.open = false;
    };
  });
  afterEach(cleanup);

  it("shows what will be sent, sends exactly that, and gives a number for support", async () => {
    const bodies: ProblemReport[] = [];
    const send = (async (_url: unknown, init: RequestInit) => {
      bodies.push(JSON.parse(String(init.body)) as ProblemReport);
      return new Response(JSON.stringify({ data: { id: "0195c000-7" } }));
    }) as typeof fetch;
    render(<ReportDialog site={site} onClose={() => undefined} send={send} />);
    fireEvent.change(await screen.findByLabelText(words.note), { target: { value: "It froze." } });
    expect(screen.getByText(/"format":"touchline-log"/).textContent).toBe(`${file.text}\n\n0195-a\n0195-b`);
    fireEvent.click(screen.getByRole("button", { name: words.send }));
    expect(await screen.findByText("0195c000-7")).toBeDefined();
    expect(bodies).toEqual([{ note: "It froze.", page: "/", log: file.text, request_ids: ["0195-a", "0195-b"] }]);
  });

  it("reports the session before a reload where that is what went wrong, and saves it as a file", async () => {
    render(<ReportDialog site={site} onClose={() => undefined} />);
    fireEvent.click(await screen.findByLabelText(words.earlier));
    expect(screen.getByText(/"seq":7/)).toBeDefined();
    fireEvent.click(screen.getByRole("button", { name: words.save }));
    expect(saved).toEqual([earlier]);
  });

  it("says that it failed and keeps what was written", async () => {
    const send: typeof fetch = async () => new Response("{}", { status: 429 });
    render(<ReportDialog site={site} onClose={() => undefined} send={send} />);
    fireEvent.change(await screen.findByLabelText(words.note), { target: { value: "Again." } });
    fireEvent.click(screen.getByRole("button", { name: words.send }));
    expect(await screen.findByText(words.throttled)).toBeDefined();
    expect((screen.getByLabelText(words.note) as HTMLTextAreaElement).value).toBe("Again.");
  });

  it("still takes a report where no recording can be read", async () => {
    const broken = { ...site, presentLog: () => Promise.reject(new Error("no storage")), earlierLog: async () => null };
    render(<ReportDialog site={broken} onClose={() => undefined} />);
    expect(await screen.findByText(words.empty)).toBeDefined();
    expect(screen.queryByRole("button", { name: words.save })).toBeNull();
    expect((screen.getByRole("button", { name: words.send }) as HTMLButtonElement).disabled).toBe(false);
  });

  it("is shown while the desk is open", async () => {
    const dialogState = createReportDialogState();
    render(<ReportHost dialogState={dialogState} site={site as never} />);
    expect(screen.queryByRole("dialog")).toBeNull();
    dialogState.open();
    expect(await screen.findByLabelText(words.note)).toBeDefined();
    dialogState.close();
    await waitFor(() => expect(screen.queryByLabelText(words.note)).toBeNull());
  });

  it("has every text in both languages", () => {
    for (const [name, text] of Object.entries(texts.fr)) expect(text, name).not.toBe("");
    expect(Object.keys(texts.fr)).toEqual(Object.keys(texts.en));
  });
});
