import type { UnknownAction } from "@reduxjs/toolkit";
import type { InputOrigin } from "../eventlog/envelope";
import { withoutAddresses } from "../lib/privateText";
import { isRemembered, matchPath, type PageAddress, trackingOf } from "../navigation";
import { navigationActions, type PageVisit } from "../slices/navigation";
import { isSecret } from "./arrival";

/** The longest recorded value: an address can have any length. */
const MAX_LENGTH = 256;

interface PagePath {
  readonly pathname: string;
  readonly search: string;
}

/** Replaces the private parts of a typed text (LOG-2). */
type TextMask = (text: string) => string;

/** Ids aren't personal numbers. */
const isId = (name: string): boolean => name.endsWith("id");

function queryOf(search: string, standIn: TextMask): PageVisit["query"] {
  const pairs = [...new URLSearchParams(search)].filter(([name]) => !isSecret(name));
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      const text = value.slice(0, MAX_LENGTH);
      if (isId(name)) return [name, text];
      return [name, name === "trk" ? withoutAddresses(text) : standIn(text)];
    }),
  );
}

/** A page change as the store records it; null for an unknown path, which the guard redirects to /404. */
export function pageOpened(
  { pathname, search }: PagePath,
  pages: readonly PageAddress[],
  standIn: TextMask,
): UnknownAction | null {
  const match = matchPath(pathname, pages);
  if (match === null) return null;
  const query = queryOf(search, standIn);
  const page: PageVisit = { name: match.name, path: pathname, params: match.params, query };
  return navigationActions.pageOpened({ page, remembered: isRemembered(match), trk: trackingOf(query) });
}

/** A location in the browser's history. */
export type HistoryEntry = PagePath & { readonly key: string };

/** Records each visited location once and reports it. */
export function pageRecorder(
  pages: () => readonly PageAddress[],
  input: (origin: InputOrigin, action: UnknownAction) => void,
  standIn: TextMask,
): (location: HistoryEntry) => void {
  let last: string | null = null;
  return (location) => {
    const here = `${location.key} ${location.pathname}${location.search}`;
    if (here === last) return;
    const action = pageOpened(location, pages(), standIn);
    if (action === null) return;
    last = here;
    input("ui", action);
  };
}
