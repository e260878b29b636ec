import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { isSince } from "./buildName";

const commits = execFileSync("git", ["rev-list", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8" })
  .trim()
  .split("\n")
  .map((commit) => `0.1.0+${commit.slice(0, 12)}`);
const [newest = "", oldest = ""] = [commits[0], commits.at(-1)];

it("a build has what it and its ancestors brought", () => {
  expect(isSince(newest, newest)).toBe(true);
  expect(isSince(newest, oldest)).toBe(true);
  expect(isSince(newest, `${oldest}-dirty`)).toBe(oldest !== newest);
});

it("a build lacks what a changed tree of its commit, a later or an unknown build brought", () => {
  expect(isSince(newest, `${newest}-dirty`)).toBe(false);
  expect(isSince(oldest, newest)).toBe(oldest === newest);
  for (const unknown of ["0.1.0", "0.1.0+000000000000", "0.1.0+--help"]) expect(isSince(unknown, newest)).toBe(false);
});
