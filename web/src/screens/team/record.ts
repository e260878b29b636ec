import type { Event } from "../../contracts/resources";
import { teamsOf } from "../eventViews";

export interface Tally {
  readonly won: number;
  readonly lost: number;
  readonly drawn: number;
}

export interface TeamRecord {
  readonly all: Tally;
  readonly home: Tally;
  readonly away: Tally;
}

export type Result = keyof Tally;

/** A team's result in a finished game; null if unknown or the team did not play (SCORE-3). */
export function resultOf(event: Event, team: number): { readonly result: Result; readonly isHome: boolean } | null {
  const [away, home] = teamsOf(event);
  if (!event.score || event.stream_status !== "finished" || (away?.id !== team && home?.id !== team)) return null;
  const isHome = home?.id === team;
  const [own, other] = isHome ? [event.score.home, event.score.away] : [event.score.away, event.score.home];
  return { isHome, result: own > other ? "won" : own < other ? "lost" : "drawn" };
}

const NONE: Tally = { won: 0, lost: 0, drawn: 0 };
const plus = (tally: Tally, result: Result): Tally => ({ ...tally, [result]: tally[result] + 1 });

/** A team's record over games with a score; null if there are none. */
export function recordOf(events: readonly Event[], team: number): TeamRecord | null {
  const results = events.flatMap((event) => resultOf(event, team) ?? []);
  if (results.length === 0) return null;
  return results.reduce<TeamRecord>(
    ({ all, home, away }, { result, isHome }) => ({
      all: plus(all, result),
      home: isHome ? plus(home, result) : home,
      away: isHome ? away : plus(away, result),
    }),
    { all: NONE, home: NONE, away: NONE },
  );
}

/** "6–4", or "6–4–1" with draws. */
export const tallyText = ({ won, lost, drawn }: Tally): string => `${won}–${lost}${drawn > 0 ? `–${drawn}` : ""}`;
