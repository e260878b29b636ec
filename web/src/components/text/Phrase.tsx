import type { ReactNode } from "react";

interface PhraseProps {
  /** A sentence with marked parts: `I accept the <terms>terms</terms>`. */
  readonly text: string;
  /** Renders each marked part. */
  readonly parts: { readonly [name: string]: (words: string) => ReactNode };
}

/** A sentence whose marked parts are links or buttons, wherever a language places them. */
export function Phrase({ text, parts }: PhraseProps) {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(/<(\w+)>(.*?)<\/\1>/g)) {
    const [whole, name = "", words = ""] = match;
    pieces.push(text.slice(at, match.index), <span key={name}>{parts[name]?.(words) ?? words}</span>);
    at = match.index + whole.length;
  }
  return (
    <>
      {pieces}
      {text.slice(at)}
    </>
  );
}
