import { isolated } from "../../lib/isolated";
import "./FixtureName.css";

/** An event's title: two sides, or a name. */
export type Title = { readonly away: string; readonly home: string } | string;

/** The title as plain text, for labels and the document's title. */
export function titleText(title: Title): string {
  return typeof title === "string" ? isolated(title) : `${isolated(title.away)} @ ${isolated(title.home)}`;
}

/** A side with more characters gets the smaller hero size. */
const LONG = 12;

export function isLong(title: Title): boolean {
  return typeof title === "string" ? title.length > 2 * LONG : Math.max(title.away.length, title.home.length) > LONG;
}

/** "away @ home", which wraps before the @, never after. */
export function FixtureName({ title }: { readonly title: Title }) {
  if (typeof title === "string") return <bdi>{title}</bdi>;
  return (
    <>
      <bdi>{title.away}</bdi>{" "}
      <span className="fixture-name__home">
        <span className="fixture-name__at">@</span> <bdi>{title.home}</bdi>
      </span>
    </>
  );
}
