import { expect, it } from "vitest";
import type { EventCategory, Participant } from "../../contracts/resources";
import { bySport, countOf, marked, matchesSearch, nicknameOf } from "./teamGroups";

const team = (id: number, school: string, nickname: string, sport: string, gender: string): Participant => ({
  id,
  name: `${school} ${nickname}`,
  short_name: school,
  alias: `${id}`,
  images: [],
  color: "#1f4a8a",
  group_id: 1,
  properties: { sport, gender },
});
const RAMS = team(1, "Westhaven", "Rams", "hockey", "male");
const LYNX = team(2, "Pine Valley", "Lynx", "hockey", "female");
const AIGLES = team(3, "Québec", "Aigles", "hockey", "male");
const GULLS = team(4, "Harbor City", "Gulls", "soccer", "");
const CATEGORIES = [{ id: 1, name: "Ice hockey", sport: "hockey" }] as unknown as EventCategory[];

it("teams stand under their sport, women and men apart, by name", () => {
  const sports = bySport([RAMS, LYNX, GULLS, AIGLES], CATEGORIES);
  expect(sports.map(({ name }) => name)).toEqual(["Ice hockey", "Soccer"]);
  expect(sports.map(countOf)).toEqual([3, 1]);
  expect(sports[0]?.groups.map(({ gender, teams }) => [gender, teams.map(({ id }) => id)])).toEqual([
    ["female", [2]],
    ["male", [3, 1]],
  ]);
  expect(sports[1]?.groups.map(({ gender }) => gender)).toEqual(["other"]);
});

it("a team is found by school, nickname or sport, without accents", () => {
  const found = (typed: string) =>
    [RAMS, LYNX, AIGLES, GULLS].filter((one) => matchesSearch(one, typed, CATEGORIES)).map(({ id }) => id);
  expect([found("rams"), found("QUEBEC"), found("ice"), found("pine lynx"), found("eagles"), found("")]).toEqual([
    [1],
    [3],
    [1, 2, 3],
    [2],
    [],
    [1, 2, 3, 4],
  ]);
});

it("what was typed is told from the rest of a name", () => {
  expect(marked("Westhaven Rams", "ram")).toEqual(["Westhaven ", "Ram", "s"]);
  expect(marked("Québec", "queb")).toEqual(["", "Québ", "ec"]);
  expect(marked("Westhaven", "lynx")).toEqual(["Westhaven"]);
  expect(nicknameOf(RAMS)).toBe("Rams");
});
