import { useState } from "react";
import type { RootState } from "../slices";
import { changesBetween, countChanges, type DisplayLine, type DisplaySlice } from "./changes";
import { lineNumber } from "./recording";

interface StatePaneProps {
  readonly before: RootState;
  readonly after: RootState;
  readonly position: number;
}

/** Maximum length of an expanded slice. */
const MAX_LENGTH = 20_000;

const SIGNS = { "+": "+", "-": "−", "": "" } as const;
const SAID = { "+": "is now ", "-": "was ", "": "" } as const;
const CLASSES = { "+": " replay__line--added", "-": " replay__line--removed", "": "" } as const;

function FieldLine({ line: { mark, depth, name, text } }: { readonly line: DisplayLine }) {
  return (
    <li className={`replay__line${CLASSES[mark]}`}>
      <span className="replay__sign" aria-hidden="true">
        {SIGNS[mark]}
      </span>
      <code>
        <span aria-hidden="true">{"  ".repeat(depth)}</span>
        <span className="replay__key">{name}</span>
        {text !== "" && ": "}
        <span className="visually-hidden">{SAID[mark]}</span>
        {text}
      </code>
    </li>
  );
}

function Slice({ slice, value }: { readonly slice: DisplaySlice; readonly value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const { name, isChanged, summary, lines } = slice;
  const json = isOpen ? JSON.stringify(value, null, 2) : "";
  return (
    <li>
      <button
        type="button"
        className="replay__line replay__slice"
        aria-expanded={isChanged || isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="replay__sign" aria-hidden="true">
          {isChanged || isOpen ? "▾" : "▸"}
        </span>
        <code>
          <span className="replay__key">{name}</span>: {summary}
        </code>
      </button>
      {isChanged && (
        <ul>
          {lines.map((line, index) => (
            <FieldLine key={index} line={line} />
          ))}
        </ul>
      )}
      {isOpen && (
        <pre className="replay__json">{json.length > MAX_LENGTH ? `${json.slice(0, MAX_LENGTH)}\n…` : json}</pre>
      )}
    </li>
  );
}

/** The state and the step's changes, marked with plus and minus and not by colour alone. */
export function StatePane({ before, after, position }: StatePaneProps) {
  const slices = changesBetween(before, after);
  const count = countChanges(slices);
  // Changed slices first.
  const ordered = slices.toSorted((one, other) => Number(other.isChanged) - Number(one.isChanged));
  const values = after as unknown as Readonly<Record<string, unknown>>;
  return (
    <section className="replay__pane replay__pane--state" id="replay-state" aria-labelledby="replay-state-title">
      <h2 className="replay__heading" id="replay-state-title">
        State, line {lineNumber(Math.max(0, position - 1))} to {lineNumber(position)}{" "}
        <span>{count === 1 ? "1 field changed" : `${count} fields changed`}</span>
      </h2>
      <ul className="replay__slices">
        {ordered.map((slice) => (
          <Slice key={slice.name} slice={slice} value={values[slice.name]} />
        ))}
      </ul>
    </section>
  );
}
