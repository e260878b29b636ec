import { expect, it } from "vitest";
import type { PlaybackPosition } from "../contracts/resources";
import { PortError } from "../ports/world";
import { connectionInputs } from "../slices/connection";
import { positionsActions, resumeAt, selectPositions, watchedShare } from "../slices/positions";
import { openViewerWorld } from "./testing/world";

const at = (position_ms: number, moment: number, id = 25): PlaybackPosition => ({
  kind: "event",
  id,
  position_ms,
  duration_ms: 40_000,
  at: moment,
});

it("a position is saved to the account once the player settles, only the newest, and again once online", async () => {
  let away = false;
  const world = await openViewerWorld({
    "api.savePlayback": (position) => {
      if (away) throw new PortError({ code: "network", message: "away", retryable: true });
      return position as PlaybackPosition;
    },
  });
  world.ui(positionsActions.noted(at(6_000, 1)));
  world.ui(positionsActions.noted(at(9_000, 2)));
  await world.pass(5_000);
  expect(world.calls("api.savePlayback")).toEqual([at(9_000, 2)]);
  expect(selectPositions(world.state())["event/25"]).toEqual({ ...at(9_000, 2), kept: true });
  away = true;
  world.ui(positionsActions.noted(at(12_000, 3)));
  await world.pass(5_000);
  expect(selectPositions(world.state())["event/25"]?.kept).toBe(false);
  away = false;
  world.input("ui", connectionInputs.cameOnline());
  await world.pass(5_000);
  expect(selectPositions(world.state())["event/25"]).toEqual({ ...at(12_000, 3), kept: true });
  world.expectReplays();
});

it("a position that the channel refuses isn't sent forever", async () => {
  const world = await openViewerWorld({
    "api.savePlayback": () => {
      throw new PortError({ code: "not_found", message: "Not found.", status: 404 });
    },
  });
  world.ui(positionsActions.noted(at(6_000, 1)));
  await world.pass(5_000);
  world.input("ui", connectionInputs.cameOnline());
  await world.pass(5_000);
  expect(world.calls("api.savePlayback")).toHaveLength(1);
  world.expectReplays();
});

it("the later of two positions wins, whichever came first", async () => {
  const world = await openViewerWorld({ "api.savePlayback": () => at(30_000, 9) });
  world.ui(positionsActions.noted(at(6_000, 5)));
  world.ui(positionsActions.noted(at(1_000, 4)));
  expect(selectPositions(world.state())["event/25"]?.position_ms).toBe(6_000);
  await world.pass(5_000);
  expect(selectPositions(world.state())["event/25"]?.position_ms).toBe(30_000);
});

it("a barely started or finished video starts at its beginning", () => {
  expect([4_000, 6_000, 37_999, 38_000].map((ms) => resumeAt(at(ms, 1)))).toEqual([0, 6_000, 37_999, 0]);
  expect([undefined, at(20_000, 1), at(39_000, 1)].map(watchedShare)).toEqual([0, 0.5, 1]);
});
