import { expect, it } from "vitest";
import { aClip } from "../sagas/testing/resources";
import { rootReducer } from "./index";
import { type Query, queryActions } from "./queries";

const loaded = (query: Query, answer: unknown) =>
  queryActions.loaded({ ...query, answer, asked_at: 1, at: 2 } as Parameters<typeof queryActions.loaded>[0]);

it("removes a clip that its game no longer lists, but none that no list contains (CLIP-3, CLIP-7)", () => {
  const clips = [
    aClip({ id: 1, event_id: 25, status: "ready", visibility: "public" }),
    aClip({ id: 2, event_id: 25, status: "ready", visibility: "link" }),
    aClip({ id: 3, event_id: 25, status: "processing", visibility: "public" }),
    aClip({ id: 4, event_id: 25, status: "failed", visibility: "public" }),
  ];
  const shared = clips.map((clip) => loaded({ method: "api.getSharedClip", args: { id: clip.id, uuid: "u" } }, clip));
  const list = loaded({ method: "api.listEventClips", args: { event_id: 25 } }, []);
  const { byId } = [...shared, list].reduce(rootReducer, rootReducer(undefined, { type: "@@init" })).clips;
  expect(Object.keys(byId)).toEqual(["2", "3", "4"]);
});
