import { useMemo, useState } from "react";
import { Button } from "../components/basic/Button";
import { changesBetween, countChanges, type DisplayLine, type DisplaySlice } from "./changes";
import { type Base, firstDifference } from "./comparison";
import { lineNumber, type Recording, stateAt } from "./recording";

interface StatePaneProps {
  readonly recording: Recording;
  readonly position: number;
  /** The step to compare with; null: the one before. */
  readonly base: Base | null;
  readonly onBase: (base: Base | null) => void;
  readonly onGo: (position: number) => void;
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

/** The comparison with a step of this or another recording, and the way to where the two part. */
function Comparison({ recording, base, onBase, onGo }: StatePaneProps & { readonly base: Base }) {
  const isOther = base.recording !== recording;
  const difference = useMemo(() => firstDifference(base.recording, recording), [base.recording, recording]);
  return (
    <div className="replay__comparison">
      <p>
        Compared with line {lineNumber(base.position)}
        {isOther && ` of ${base.recording.name}`}
      </p>
      {isOther &&
        (difference ? (
          <Button
            size="small"
            onClick={() => {
              onBase({ recording: base.recording, position: difference.one });
              onGo(difference.other);
            }}
          >
            Go to the first different action
          </Button>
        ) : (
          <p>The actions of both are the same.</p>
        ))}
      <Button size="small" look="quiet" onClick={() => onBase(null)}>
        Stop comparing
      </Button>
    </div>
  );
}

/** The state and its changes since the step before or a chosen one, marked with signs and not by colour alone. */
export function StatePane(props: StatePaneProps) {
  const { recording, position, base, onBase } = props;
  const before = base ? stateAt(base.recording, base.position) : stateAt(recording, position - 1);
  const after = stateAt(recording, position);
  const slices = changesBetween(before, after);
  const count = countChanges(slices);
  // Changed slices first.
  const ordered = slices.toSorted((one, other) => Number(other.isChanged) - Number(one.isChanged));
  const values = after as unknown as Readonly<Record<string, unknown>>;
  const from = base?.position ?? Math.max(0, position - 1);
  return (
    <section className="replay__pane replay__pane--state" id="replay-state" aria-labelledby="replay-state-title">
      <h2 className="replay__heading" id="replay-state-title">
        State, line {lineNumber(from)} to {lineNumber(position)}{" "}
        <span>{count === 1 ? "1 field changed" : `${count} fields changed`}</span>
      </h2>
      {base ? (
        <Comparison {...props} base={base} />
      ) : (
        <div className="replay__comparison">
          <Button size="small" look="quiet" onClick={() => onBase({ recording, position })}>
            Compare other steps or files with this step
          </Button>
        </div>
      )}
      <ul className="replay__slices">
        {ordered.map((slice) => (
          <Slice key={slice.name} slice={slice} value={values[slice.name]} />
        ))}
      </ul>
    </section>
  );
}
