// @vitest-environment jsdom

import { gunzipSync, gzipSync } from "node:zlib";
import { cleanup, configure, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createRecordedStore } from "../../eventlog/live";
import { replayText } from "../../eventlog/replay";
import { actions, probeProgram } from "../../eventlog/testing/probe-program";
import { BEGAN, createTextSink, portsOn } from "../../eventlog/testing/session";
import { createVirtualTime, settled } from "../../eventlog/testing/virtual-time";
import type { SiteFile } from "../../ports/site";
import { createReportDialogState } from "./dialogState";
import { countLines, fitLog, limitsHere, PACKED, PLAIN, type ReportLimits } from "./fitLog";
import { ReportDialog } from "./ReportDialog";
import { ReportHost } from "./ReportHost";
import { type ProblemReport, sendReport } from "./sendReport";
import { texts } from "./texts";

// A busy machine is slow: a wait ends with what it waits for.
configure({ asyncUtilTimeout: 60_000 });

const HEADER = '{"format":"touchline-log","v":1}';
const action = (index: number): string => `{"seq":${index},"kind":"action","type":"x"}`;

const unpack = (body: unknown): ProblemReport =>
  JSON.parse(gunzipSync(new Uint8Array(body as ArrayBuffer)).toString()) as ProblemReport;

describe("a log that is to be sent", () => {
  // A session in segments, each starting with a snapshot, as a browser stores it.
  let session: string;
  beforeAll(async () => {
    const textSink = createTextSink();
    let grown = 0;
    const time = createVirtualTime();
    const live = createRecordedStore({
      program: probeProgram,
      ports: portsOn(
        time,
        () => ({ epoch: "e", data: [1] }),
        () => 0.5,
      ),
      header: { build: "test", channel: "northfield", locale: "en" },
      sample: () => ({ at: BEGAN + time.now(), mono: time.now() }),
      report: () => undefined,
      sink: {
        ...textSink,
        write(line) {
          textSink.write(line);
          grown = line.kind === "snapshot" ? 0 : grown + line.text.length;
        },
        wants: () => (grown >= 4_000 ? "snapshot" : "nothing"),
      },
    });
    await settled();
    for (let round = 0; round < 60; round++) {
      live.store.dispatch(actions.search.typed({ title: `${round} ${"é".repeat(40)}` }));
      await time.pass(time.now() + 500);
    }
    live.checkpoint();
    session = textSink.text();
    expect(session.split("\n").filter((text) => text.includes('"kind":"snapshot"')).length).toBeGreaterThan(4);
  });

  const limits = (bytes: number, more: Partial<ReportLimits> = {}): ReportLimits => ({
    characters: 1_000_000,
    bytes,
    packed: null,
    ...more,
  });
  const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

  it("goes whole where it fits, a session of a quarter of an hour too", async () => {
    expect(await fitLog(session)).toEqual({ at: "whole", text: session });
    // The length of 48 segments with snapshots.
    const [header = "", ...lines] = session.trimEnd().split("\n");
    const long = [header, ...Array.from({ length: Math.floor(15e6 / session.length) }, () => lines).flat()].join("\n");
    expect(long.length).toBeGreaterThan(14e6);
    expect((await fitLog(long)).at).toBe("whole");
  });

  it("is measured as it will stand in JSON, where quotes and letters beyond ASCII take more", async () => {
    expect((await fitLog(session, limits(sizeOf(session)))).at).toBe("whole");
    expect((await fitLog(session, limits(sizeOf(session) - 1))).at).toBe("cut");
    expect((await fitLog(session, limits(1e9, { characters: session.length }))).at).toBe("whole");
    expect((await fitLog(session, limits(1e9, { characters: session.length - 1 }))).at).toBe("cut");
  });

  it("is cut out of its middle: sagas replay its beginning, and the replay says what is missing", async () => {
    const whole = replayText(probeProgram, session);
    if (whole.status === 2) throw new Error(whole.unreadable);
    for (const share of [0.9, 0.7, 0.5]) {
      const bound = Math.floor(sizeOf(session) * share);
      const fitted = await fitLog(session, limits(bound));
      if (fitted.at !== "cut") throw new Error(fitted.at);
      expect(sizeOf(fitted.text)).toBeLessThanOrEqual(bound);
      const outcome = replayText(probeProgram, fitted.text);
      expect(outcome).toMatchObject({ status: 3, kind: null, sagas: { same: true, actions: expect.any(Number) } });
      if (outcome.status === 2 || typeof outcome.sagas === "string") throw new Error("not replayed");
      expect(outcome.sagas.actions).toBeGreaterThan(0);
      expect(outcome.reducers.hash).toBe(whole.reducers.hash);
      const [first] = outcome.missing;
      expect(first?.what).toMatch(/^seq \d+ to \d+ were left out: the recording was too long to be sent whole$/);
      expect(countLines(session) - countLines(fitted.text)).toBe(fitted.missing - 1);
    }
  });

  it("is cut as little as need be: no earlier snapshot would fit", async () => {
    const bound = Math.floor(sizeOf(session) * 0.7);
    const fitted = await fitLog(session, limits(bound));
    if (fitted.at !== "cut") throw new Error(fitted.at);
    const [lines, fittedLines] = [session.split("\n"), fitted.text.split("\n")];
    const rest = lines.indexOf(fittedLines[fittedLines.findIndex((line) => line.includes('"type":"cut"')) + 1] ?? "");
    const earlier = lines.findLastIndex((line, index) => index < rest && line.includes('"kind":"snapshot"'));
    expect(earlier).toBeGreaterThan(0);
    const removed = lines.slice(earlier, rest).join("\n");
    const blobs = lines.filter((line) => {
      const [, hash = "-"] = /^{"blob":"(.{16})/.exec(line) ?? [];
      return removed.includes(hash) && !fittedLines.includes(line);
    });
    expect(sizeOf([fitted.text, removed, ...blobs].join("\n"))).toBeGreaterThan(bound - 1_500);
  });

  it("begins at the page load too where its first segment does not fit, up to a checkpoint", async () => {
    const all = session.split("\n");
    const first = all.findIndex((line) => line.includes('"kind":"snapshot"'));
    // A first segment with several checkpoints, longer than the rest.
    const lines = all.slice(1, first);
    const end = lines.length;
    const checkpoint = lines.findLast((line) => line.includes('"kind":"checkpoint"')) ?? "";
    const filled = [...lines, ...Array.from({ length: 40 }, () => lines).flat(), checkpoint];
    const last = all.findLastIndex((line) => line.includes('"kind":"snapshot"'));
    const long = [all[0], ...filled, ...all.slice(last)].join("\n");
    const fitted = await fitLog(long, limits(Math.floor(sizeOf(long) / 4)));
    if (fitted.at !== "cut") throw new Error(fitted.at);
    expect(fitted.hasBeginning).toBe(true);
    expect(fitted.text.split("\n").slice(1, end + 1)).toEqual(lines);
    expect(fitted.text.slice(0, fitted.text.indexOf('"type":"cut"'))).toMatch(
      /"kind":"checkpoint".*\n\{"seq":\d+,[^\n]*$/,
    );
  });

  it("keeps what follows a snapshot where the page load is gone, and says that it is", async () => {
    const [header = "", ...lines] = session.split("\n");
    const from = lines.findIndex((line) => line.includes('"kind":"snapshot"'));
    const late = [header, ...lines.slice(from)].join("\n");
    const fitted = await fitLog(late, limits(Math.floor(sizeOf(late) * 0.7)));
    if (fitted.at !== "cut") throw new Error(fitted.at);
    const outcome = replayText(probeProgram, fitted.text);
    expect(outcome).toMatchObject({ status: 3, sagas: expect.stringContaining("its start was left out") });
    expect(fitted.hasBeginning).toBe(false);
    expect(countLines(late) - countLines(fitted.text)).toBe(fitted.missing - 1);
  });

  it("is cut further where it does not pack well", async () => {
    const packed = (text: string): number => gzipSync(JSON.stringify(text)).length;
    const bound = Math.floor(packed(session) * 0.8);
    const fitted = await fitLog(session, limits(1e9, { packed: bound }));
    if (fitted.at !== "cut") throw new Error(fitted.at);
    expect(packed(fitted.text)).toBeLessThanOrEqual(bound * 1.02);
    expect(replayText(probeProgram, fitted.text)).toMatchObject({ status: 3 });
  });

  it("is too large where no snapshot is near enough to its end", async () => {
    expect(await fitLog(session, limits(500))).toEqual({ at: "tooLarge" });
    expect(await fitLog(`${HEADER}\n${"x".repeat(2_000)}`, limits(1_000))).toEqual({ at: "tooLarge" });
  });

  it("has the limits of a browser that does not compress where it does not", async () => {
    vi.stubGlobal("CompressionStream", undefined);
    expect(limitsHere()).toBe(PLAIN);
    vi.unstubAllGlobals();
    expect(limitsHere()).toBe(PACKED);
  });
});

describe("sending", () => {
  const report: ProblemReport = {
    note: "n".repeat(5_000),
    page: "/buy",
    log: HEADER,
    request_ids: Array(600).fill("1"),
  };
  const answering =
    (status: number, body: unknown): typeof fetch =>
    async () =>
      new Response(JSON.stringify(body), { status });

  it("carries what was shown, within the worker's limits, and no key", async () => {
    let sent: { url: unknown; init: RequestInit } | null = null;
    const send = (async (url: unknown, init: RequestInit) => {
      sent = { url, init };
      return new Response(JSON.stringify({ data: { id: "0195c000" } }));
    }) as typeof fetch;
    expect(await sendReport(report, send)).toEqual({ at: "sent", id: "0195c000" });
    const { url, init } = sent as unknown as { url: unknown; init: RequestInit };
    expect([url, init.method, init.credentials]).toEqual(["/api/problem-report", "POST", "omit"]);
    expect(new Headers(init.headers).get("content-encoding")).toBe("gzip");
    const body = unpack(init.body);
    expect(Object.keys(body).toSorted()).toEqual(["log", "note", "page", "request_ids"]);
    expect([body.note.length, body.request_ids.length]).toEqual([4_000, 500]);
  });

  it("goes as it is where the browser does not compress", async () => {
    vi.stubGlobal("CompressionStream", undefined);
    let sent: RequestInit = {};
    await sendReport(report, (async (_url: unknown, init: RequestInit) => {
      sent = init;
      return new Response("{}");
    }) as typeof fetch);
    vi.unstubAllGlobals();
    expect(new Headers(sent.headers).has("content-encoding")).toBe(false);
    expect((JSON.parse(String(sent.body)) as ProblemReport).log).toBe(HEADER);
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
  const labels = texts.en;
  const file: SiteFile = { name: "touchline-1.jsonl", text: `${HEADER}\n${action(1)}\n` };
  const earlier: SiteFile = { name: "touchline-0.jsonl", text: `${HEADER}\n${action(7)}\n` };
  const saved: SiteFile[] = [];
  const site = {
    currentLog: async () => file,
    earlierLog: async () => earlier as SiteFile | null,
    requestIds: () => ["0195-a", "0195-b"],
    download: (one: SiteFile) => void saved.push(one),
  };

  beforeEach(() => {
    saved.length = 0;
    Element.prototype.scrollIntoView = () => undefined;
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
      bodies.push(unpack(init.body));
      return new Response(JSON.stringify({ data: { id: "0195c000-7" } }));
    }) as typeof fetch;
    render(<ReportDialog site={site} onClose={() => undefined} send={send} />);
    fireEvent.change(await screen.findByLabelText(labels.note), { target: { value: "It froze." } });
    expect((await screen.findByText(/"format":"touchline-log"/)).textContent).toBe(`${file.text}\n\n0195-a\n0195-b`);
    fireEvent.click(screen.getByRole("button", { name: labels.send }));
    expect(await screen.findByText("0195c000-7")).toBeDefined();
    expect(bodies).toEqual([{ note: "It froze.", page: "/", log: file.text, request_ids: ["0195-a", "0195-b"] }]);
  });

  it("sends the summary of the whole session, and shows it (LOG-5)", async () => {
    const refused = {
      kind: "effect",
      origin: "api",
      payload: { err: { code: "throttled", status: 429 }, took: 1_200 },
    };
    const header = { format: "touchline-log", build: "0.1.0+abc", locale: "en" };
    const text = `${JSON.stringify(header)}\n${JSON.stringify(refused)}\n`;
    const bodies: ProblemReport[] = [];
    const send = (async (_url: unknown, init: RequestInit) => {
      bodies.push(unpack(init.body));
      return new Response(JSON.stringify({ data: { id: "0195c000-7" } }));
    }) as typeof fetch;
    const currentLog = async () => ({ ...file, text });
    render(<ReportDialog site={{ ...site, currentLog }} onClose={() => undefined} send={send} />);
    const recording = await screen.findByText(/"longest_wait_ms":1200/);
    fireEvent.click(screen.getByRole("button", { name: labels.send }));
    await screen.findByText("0195c000-7");
    const outcomes = [{ kind: "refused", code: "throttled", count: 1 }];
    const summary = { build: "0.1.0+abc", language: "en", outcomes, longest_wait_ms: 1_200 };
    expect(bodies[0]?.summary).toEqual(summary);
    expect(recording.textContent).toContain(JSON.stringify(summary));
  });

  it("reports the session before a reload where that is what went wrong, and saves it as a file", async () => {
    render(<ReportDialog site={site} onClose={() => undefined} />);
    fireEvent.click(await screen.findByLabelText(labels.earlier));
    // The earlier session's request ids are not those of this page.
    expect((await screen.findByText(/"seq":7/)).textContent).toBe(earlier.text);
    fireEvent.click(screen.getByRole("button", { name: labels.save }));
    expect(saved).toEqual([earlier]);
  });

  it("says how much is missing of a recording that is too long", async () => {
    vi.stubGlobal("CompressionStream", undefined);
    const snapshot = (seq: number): string =>
      JSON.stringify({ seq, at: 1, mono: 1, kind: "snapshot", payload: { state: {}, counters: {}, open: [] } });
    const filling = Array.from({ length: 30_000 }, (_, index) => action(index + 3));
    const text = [HEADER, action(1), snapshot(2), ...filling, snapshot(30_003), action(30_004), ""].join("\n");
    const long = { ...site, currentLog: async () => ({ name: "long.jsonl", text }), earlierLog: async () => null };
    const bodies: ProblemReport[] = [];
    const send = (async (_url: unknown, init: RequestInit) => {
      bodies.push(JSON.parse(String(init.body)) as ProblemReport);
      return new Response(JSON.stringify({ data: { id: "0195c000-8" } }));
    }) as typeof fetch;
    render(<ReportDialog site={long} onClose={() => undefined} send={send} />);
    expect(await screen.findByText(labels.cut("30,001"), {}, { timeout: 10_000 })).toBeDefined();
    fireEvent.click(screen.getByRole("button", { name: labels.send }));
    expect(await screen.findByText("0195c000-8")).toBeDefined();
    vi.unstubAllGlobals();
    expect(bodies[0]?.log.split("\n").map((line) => line.slice(0, 16))).toEqual(
      [HEADER, action(1), '{"seq":30002,"at":1', snapshot(30_003), action(30_004), ""].map((line) => line.slice(0, 16)),
    );
    expect(bodies[0]?.log).toContain('"type":"cut"');
  });

  it("says that it failed and keeps what was written", async () => {
    const send: typeof fetch = async () => new Response("{}", { status: 429 });
    render(<ReportDialog site={site} onClose={() => undefined} send={send} />);
    fireEvent.change(await screen.findByLabelText(labels.note), { target: { value: "Again." } });
    await screen.findByText(/"seq":1/);
    fireEvent.click(screen.getByRole("button", { name: labels.send }));
    expect(await screen.findByText(labels.throttled)).toBeDefined();
    expect(document.activeElement?.textContent).toBe(labels.throttled);
    expect((screen.getByLabelText(labels.note) as HTMLTextAreaElement).value).toBe("Again.");
  });

  it("still takes a report where no recording can be read", async () => {
    const broken = { ...site, currentLog: () => Promise.reject(new Error("no storage")), earlierLog: async () => null };
    render(<ReportDialog site={broken} onClose={() => undefined} />);
    expect(await screen.findByText(labels.empty)).toBeDefined();
    expect(screen.queryByRole("button", { name: labels.save })).toBeNull();
    await waitFor(() =>
      expect((screen.getByRole("button", { name: labels.send }) as HTMLButtonElement).disabled).toBe(false),
    );
  });

  it("is shown while the desk is open", async () => {
    const dialogState = createReportDialogState();
    render(<ReportHost dialogState={dialogState} site={site as never} />);
    expect(screen.queryByRole("dialog")).toBeNull();
    dialogState.open();
    expect(await screen.findByLabelText(labels.note)).toBeDefined();
    dialogState.close();
    await waitFor(() => expect(screen.queryByLabelText(labels.note)).toBeNull());
  });

  it("has every text in both languages", () => {
    for (const [name, text] of Object.entries(texts.fr)) expect(text, name).not.toBe("");
    expect(Object.keys(texts.fr)).toEqual(Object.keys(texts.en));
  });
});
