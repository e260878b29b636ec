// @vitest-environment jsdom
import "fake-indexeddb/auto";
import { expect, it } from "vitest";
import { openLogStorage } from "../session/storages";
import { listLogs, removeLog } from "./archive";
import { createRecordedStore } from "./live";
import { parseLog } from "./parse";
import { replayText } from "./replay";
import { createSegmentedSink } from "./segments";
import { exportLog } from "./stored-text";
import { actions, probeProgram } from "./testing/probe-program";
import { away, BEGAN, portsOn } from "./testing/session";
import { createVirtualTime } from "./testing/virtual-time";

it("stores a log in IndexedDB through localforage, and reads it back", async () => {
  const storage = openLogStorage();
  const time = createVirtualTime();
  const sink = createSegmentedSink({
    storage,
    log: "log-1",
    tab: "tab-1",
    defer: queueMicrotask,
    after: (ms, run) => void time.at(time.now() + ms, run),
    limits: { chunk: 400, segment: 2000 },
  });
  const live = createRecordedStore({
    program: probeProgram,
    ports: portsOn(time, away, () => 0.5),
    header: { build: "test", channel: "northfield", locale: "en" },
    sample: () => ({ at: BEGAN + time.now(), mono: time.now() }),
    report: (error) => expect.fail(String(error)),
    sink,
  });
  for (let count = 0; count < 30; count++) {
    live.store.dispatch(actions.page.screenOpened());
    await live.flush();
  }
  live.checkpoint();
  await sink.close();
  expect(await listLogs(storage)).toMatchObject([{ log: "log-1", tab: "tab-1", closed: true }]);
  const text = (await exportLog(storage, "log-1")) ?? "";
  expect(parseLog(text).lines).toHaveLength(live.position());
  expect(replayText(probeProgram, text)).toMatchObject({ status: 0, sagas: { same: true } });
  await removeLog(storage, "log-1");
  expect(await storage.keys()).toEqual([]);
});
