import { expect, it } from "vitest";
import { clip } from "./clip";
import { step } from "./machine";
import { clipFacts } from "./testing/facts";
import { reachable } from "./testing/walks";

it("dismissing a clip leaves an empty form, unless the clip is being made", () => {
  const ended = reachable(clip as never, clipFacts as never).filter(({ at }) =>
    ["draft", "ready", "failed"].includes(at),
  );
  expect(ended.length).toBeGreaterThan(3);
  for (const state of ended)
    expect(step(clip, state as never, "dismissed", { key: "60" })).toEqual({ at: "draft", refusal: null });
});
