import { describe, expect, it } from "vitest";
import type { Clip } from "../contracts/resources";
import type { ClipRequest } from "../machines/clip";
import { clipActions, DRAFT, selectClipRefusal } from "../slices/clip";
import { connectionInputs } from "../slices/connection";
import { outboxActions } from "../slices/outbox";
import { aClip } from "./testing/resources";
import { receive } from "./testing/tabs";
import { openViewerWorld, type Script, silence, type TestWorld } from "./testing/world";

const request: ClipRequest = {
  event_id: 100,
  name: " Dunk ",
  start_time: 10,
  duration: 5,
  tags: ["dunk"],
  event_media_id: 900,
};

const press = (world: TestWorld, parts: Partial<ClipRequest> = {}, media_duration: number | null = 100) =>
  world.ui(clipActions.submitPressed({ key: DRAFT, request: { ...request, ...parts }, media_duration }));

const making = (world: TestWorld) => Object.values(world.state().clip)[0];

const push = (world: TestWorld, clip: Clip) =>
  world.input(
    "sync",
    connectionInputs.statusReceived({
      stream: "user",
      seq: clip.version,
      kind: "clip",
      id: clip.id,
      version: clip.version,
      state: clip,
    }),
  );

/** A clip that the channel accepted. `before`: its statuses before the answer. */
async function cut(script: Script = {}, before: readonly Clip[] = []): Promise<TestWorld> {
  const world = await openViewerWorld(script);
  press(world);
  await world.pass();
  for (const clip of before) push(world, clip);
  const item = world.calls("outbox.put").at(-1)?.item;
  if (item?.kind !== "clip.create") throw new Error("no clip was put");
  const { id, kind, payload } = item;
  world.input(
    "storage",
    outboxActions.itemAnswered({ id, kind, payload, outcome: { outcome: "done", answer: aClip() as never } }),
  );
  return world;
}

const live: Script = {
  "sync.connect": () => ({ epoch: "e", user_seq: 0, channel_seq: 0, mode: "resumed", ping_ms: 9e6 }),
};

describe("a clip", () => {
  it.each([
    ["without a name", { name: " " }, "Please fill in the input field."],
    ["without a tag", { tags: [] }, "Please select tag."],
    ["with too many tags", { tags: Array.from({ length: 11 }, String) }, "Field length must be less than 11"],
    ["with too long a name", { name: "x".repeat(101) }, "Field length must be less than 101"],
    ["past the end", { start_time: 96 }, "Your clip duration is longer than the end time."],
    ["of no length", { duration: 0 }, "Your clip duration is longer than the end time."],
  ])("%s isn't requested (VAL-3)", async (_, parts, message) => {
    const world = await openViewerWorld();
    press(world, parts);
    expect(selectClipRefusal(world.state())).toBe(message);
    expect(world.calls("outbox.put")).toEqual([]);
    world.ui(clipActions.dismissed({ key: DRAFT }));
    expect(selectClipRefusal(world.state())).toBeNull();
  });

  it("is queued, processed and ready by the stream, and an older status is ignored (CLIP-2)", async () => {
    const world = await cut(live);
    expect(world.calls("outbox.put").at(-1)?.item).toMatchObject({ payload: { name: "Dunk" } });
    expect(making(world)).toMatchObject({ at: "queued", clipId: 70 });
    push(world, aClip({ status: "processing", version: 2 }));
    push(world, aClip({ status: "queued", version: 1 }));
    expect(making(world)).toMatchObject({ at: "processing" });
    push(world, aClip({ status: "ready", version: 3, url: "/clip" }));
    expect(making(world)).toMatchObject({ at: "ready", clipId: 70 });
    expect(world.state().clips.mine).toEqual([70]);
    expect(world.state().user.featureCount.clips).toBe(1);
    world.expectReplays();
  });

  it("fails by the stream", async () => {
    const world = await cut(live);
    push(world, aClip({ status: "failed", version: 2 }));
    expect(making(world)).toMatchObject({ at: "failed", message: "clip creating failed." });
    world.expectReplays();
  });

  it.each([
    ["while there is no stream", {}],
    ["while the stream is silent", live],
  ])("is polled %s (CLIP-2)", async (_, script) => {
    const world = await cut({ ...script, "api.listUserClips": () => [aClip({ status: "ready", version: 4 })] });
    await world.pass(4_999);
    expect(making(world)).toMatchObject({ at: "queued" });
    await world.pass(1);
    expect(making(world)).toMatchObject({ at: "ready" });
    await world.pass(60_000);
    expect(world.calls("api.listUserClips")).toHaveLength(1);
    world.expectReplays();
  });

  it("that takes more than 5 minutes is shown as late, not failed, also after a reload (CLIP-2)", async () => {
    const world = await cut(live);
    await world.pass(200_000);
    await world.reload();
    await world.pass(99_999);
    expect(making(world)).toMatchObject({ at: "queued", late: false });
    await world.pass(1);
    expect(making(world)).toMatchObject({ at: "queued", late: true });
    push(world, aClip({ status: "ready", version: 2 }));
    expect(making(world)).toMatchObject({ at: "ready" });
    world.expectReplays();
  });

  it("that the worker refuses says why", async () => {
    const world = await openViewerWorld();
    press(world);
    await world.pass();
    const item = world.calls("outbox.put").at(-1)?.item;
    if (item?.kind !== "clip.create") throw new Error("no clip was put");
    const { id, kind, payload } = item;
    const outcome = { outcome: "dead", code: "forbidden", message: "You may not make clips." } as const;
    world.input("storage", outboxActions.itemAnswered({ id, kind, payload, outcome }));
    expect(making(world)).toMatchObject({ at: "failed", message: "You may not make clips." });
    world.expectReplays();
  });

  it("is recognised from another tab's status before this tab knew it", async () => {
    const world = await openViewerWorld();
    press(world);
    await world.pass();
    const item = world.calls("outbox.put").at(-1)?.item;
    if (item?.kind !== "clip.create") throw new Error("no clip was put");
    const outcome = { outcome: "done", answer: aClip() as never } as const;
    receive(world, outboxActions.itemAnswered({ ...item, outcome }));
    expect(making(world)).toMatchObject({ at: "queued", clipId: aClip().id });
    push(world, aClip({ status: "ready", version: 2 }));
    expect(making(world)).toMatchObject({ at: "ready" });
    world.expectReplays();
  });

  it("waits in the outbox over a reload, under the same key", async () => {
    const world = await openViewerWorld({ "outbox.put": silence });
    press(world);
    await world.pass();
    world.script["outbox.put"] = () => null;
    await world.reload();
    expect(making(world)).toMatchObject({ at: "submitting" });
    const [first, second] = world.calls("outbox.put");
    expect(second).toEqual(first);
    world.expectReplays();
  });
});

describe("a clip that ends before the answer with its id", () => {
  it("has ended, also after a reload, without a second status in the stream", async () => {
    const world = await cut(live, [
      aClip({ status: "processing", version: 2 }),
      aClip({ status: "ready", version: 3 }),
    ]);
    await world.pass();
    expect(making(world)).toMatchObject({ at: "ready" });
    world.expectExpected();
    world.expectReplays();
    const { clip } = await queued();
    await world.reload((state) => ({ ...state, clip }));
    await world.pass();
    expect(making(world)).toMatchObject({ at: "ready" });
    world.expectReplays();
  });

  const queued = async () => (await cut()).state();
});
