import { Fragment } from "react";
import { folded } from "../../lib/folded";

/** A text with its search matches highlighted. */
export function Marked({ text, query }: { readonly text: string; readonly query: string }) {
  const wanted = folded(query).split(/\s+/).filter(Boolean);
  const pieces = text.split(/(\s+)/).map((word, at) => {
    const length = wanted.find((one) => folded(word).startsWith(one))?.length ?? 0;
    if (length === 0) return word;
    return (
      <Fragment key={at}>
        <mark className="search__mark">{word.slice(0, length)}</mark>
        {word.slice(length)}
      </Fragment>
    );
  });
  return <bdi>{pieces}</bdi>;
}
