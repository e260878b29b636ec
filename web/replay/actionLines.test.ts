import { expect, it } from "vitest";
import { type Line } from "../src/eventlog/envelope";
import { actionLines } from "./testing/actionLines";

const action = (type: string, payload: unknown, seq: number): Line =>
  ({ seq, at: 0, mono: 0, kind: "action", origin: "ui", type, type_version: 1, payload }) as Line;

it("two logs differ in the lines of the actions that differ, long payloads too", () => {
  const long = (last: string) => ({ text: `${"x".repeat(1000)}${last}` });
  const before = [action("a/b", { id: 1 }, 1), action("a/c", long("y"), 2), action("a/d", null, 3)];
  const after = [
    action("a/b", { id: 1 }, 7),
    action("a/e", null, 8),
    action("a/c", long("z"), 9),
    action("a/d", null, 10),
  ];
  const [one, other] = [actionLines(before), actionLines(after)];
  expect(one.filter((line) => !other.includes(line))).toEqual([
    expect.stringMatching(/^ui a\/c .{240}… [0-9a-f]{16}$/),
  ]);
  expect(other.filter((line) => !one.includes(line))).toEqual(["ui a/e null", expect.stringContaining("ui a/c ")]);
});
