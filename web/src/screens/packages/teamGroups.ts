import type { EventCategory, Participant } from "../../contracts/resources";
import { folded } from "../../lib/folded";

/** Teams of a sport, grouped into women's, men's and others. */
export interface SportTeams {
  readonly sport: string;
  readonly name: string;
  readonly groups: readonly { readonly gender: "female" | "male" | "other"; readonly teams: readonly Participant[] }[];
}

const GENDERS = ["female", "male", "other"] as const;
const genderOf = ({ properties: { gender } }: Participant) =>
  gender === "female" || gender === "male" ? gender : "other";

const nameOf = (sport: string, categories: readonly EventCategory[]): string =>
  categories.find((category) => category.sport === sport)?.name ?? sport.charAt(0).toUpperCase() + sport.slice(1);

/** A team's nickname, without the school's name. */
export function nicknameOf({ name, short_name, properties: { nickname } }: Participant): string {
  if (nickname !== undefined && nickname !== "") return nickname;
  return name.startsWith(`${short_name} `) ? name.slice(short_name.length + 1) : "";
}

/** Sports with their teams, sorted by number of teams; teams by name. */
export function bySport(teams: readonly Participant[], categories: readonly EventCategory[]): SportTeams[] {
  const sports = new Map<string, Participant[]>();
  for (const team of teams) {
    const sport = team.properties.sport ?? "";
    sports.set(sport, [...(sports.get(sport) ?? []), team]);
  }
  return [...sports]
    .map(([sport, all]) => {
      const sorted = all.toSorted((a, b) => a.short_name.localeCompare(b.short_name) || a.id - b.id);
      const groups = GENDERS.map((gender) => ({ gender, teams: sorted.filter((team) => genderOf(team) === gender) }));
      return { sport, name: nameOf(sport, categories), groups: groups.filter((group) => group.teams.length > 0) };
    })
    .toSorted((a, b) => countOf(b) - countOf(a) || a.name.localeCompare(b.name));
}

export const countOf = ({ groups }: SportTeams): number => groups.reduce((sum, { teams }) => sum + teams.length, 0);

/** Whether a team matches the search: each word must occur in its school, nickname or sport. */
export function matchesSearch(team: Participant, typed: string, categories: readonly EventCategory[]): boolean {
  const terms = folded(typed).split(/\s+/).filter(Boolean);
  const sport = team.properties.sport ?? "";
  const about = folded([team.name, team.short_name, nicknameOf(team), sport, nameOf(sport, categories)].join(" "));
  return terms.every((word) => about.includes(word));
}

/** Splits a text around matches of the search; odd elements are matches: `["", "Ram", "s"]`. */
export function marked(text: string, typed: string): string[] {
  const term = folded(typed).trim();
  const plain = folded(text);
  const from = term === "" || plain.length !== text.length ? -1 : plain.indexOf(term);
  return from < 0
    ? [text]
    : [text.slice(0, from), text.slice(from, from + term.length), text.slice(from + term.length)];
}
