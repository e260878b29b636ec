import { describe, expect, it } from "vitest";
import type { Event, Participant } from "../../contracts/resources";
import { recordOf, resultOf, tallyText } from "./record";

const team = (id: number): Participant => ({
  id,
  name: `T${id}`,
  short_name: `T${id}`,
  alias: "",
  images: [],
  color: "#000000",
  properties: {},
});
const game = (ids: readonly [number, number], home: number, score?: readonly [number, number]) =>
  ({
    stream_status: "finished",
    home_team_id: home,
    participants: ids.map(team),
    ...(score && { score: { away: score[0], home: score[1], period: "Final" } }),
  }) as unknown as Event;

describe("a team's record (SCORE-3)", () => {
  it("counts who won by the side at home, whatever the order of the teams", () => {
    expect(resultOf(game([1, 2], 2, [3, 1]), 1)).toEqual({ isHome: false, result: "won" });
    expect(resultOf(game([2, 1], 2, [3, 1]), 1)).toEqual({ isHome: false, result: "won" });
    expect(resultOf(game([1, 2], 2, [3, 1]), 2)).toEqual({ isHome: true, result: "lost" });
    expect(resultOf(game([1, 2], 2, [1, 1]), 2)?.result).toBe("drawn");
  });

  it("leaves out games without a score, of others, and those that go on", () => {
    expect(resultOf(game([1, 2], 2), 1)).toBeNull();
    expect(resultOf(game([1, 2], 2, [3, 1]), 3)).toBeNull();
    expect(resultOf({ ...game([1, 2], 2, [3, 1]), stream_status: "live" }, 1)).toBeNull();
    expect(recordOf([game([1, 2], 2)], 1)).toBeNull();
  });

  it("is told apart at home and away", () => {
    const record = recordOf([game([1, 2], 2, [3, 1]), game([3, 1], 1, [4, 1]), game([3, 1], 1, [1, 1])], 1);
    expect(record && [tallyText(record.all), tallyText(record.home), tallyText(record.away)]).toEqual([
      "1–1–1",
      "0–1–1",
      "1–0",
    ]);
  });
});
