import { Button } from "../components/basic/Button";
import type { Crash, Divergence } from "../eventlog/divergence";
import type { Line } from "../eventlog/envelope";
import { TITLES } from "../eventlog/report";
import { clockText } from "./axis";
import { outline } from "./changes";
import { lineNumber } from "./recording";

interface StepPaneProps {
  /** The line that led here; undefined at the start. */
  readonly line: Line | undefined;
  readonly position: number;
  /** The problem that this step shows; null if it shows none. */
  readonly problem: string | null;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** The divergence at this position, or the next one. */
  readonly divergence: Divergence | null;
  /** Errors in this line's turn of the replay. */
  readonly crashes: readonly Crash[];
  /** The position of the next divergence; null if there is none. */
  readonly next: number | null;
  readonly onGo: (position: number) => void;
}

/** Maximum length of a payload that is shown whole. */
const MAX_LENGTH = 20_000;

const timeOf = (at: number): string => new Date(at).toISOString().replace("T", " ").replace("Z", " UTC");

function payloadText(payload: unknown): string {
  const text = JSON.stringify(payload, null, 2);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}\n… (${text.length} characters)`;
}

interface DivergenceBoxProps extends Pick<StepPaneProps, "position" | "next" | "onGo"> {
  readonly divergence: Divergence;
}

function DivergenceBox({ divergence, position, next, onGo }: DivergenceBoxProps) {
  return (
    <div className="replay__divergence">
      <h3>Divergence at line {divergence.line}</h3>
      <p className="replay__why">{TITLES[divergence.why]}.</p>
      {divergence.cause !== undefined && <p>{divergence.cause}</p>}
      <dl className="replay__facts">
        <dt>Recorded</dt>
        <dd>
          <code>{outline(divergence.expected)}</code>
        </dd>
        <dt>Replayed</dt>
        <dd>
          <code>{outline(divergence.got)}</code>
        </dd>
        {divergence.slices.length > 0 && (
          <>
            <dt>Slices</dt>
            <dd>{divergence.slices.join(", ")}</dd>
          </>
        )}
        {divergence.open.length > 0 && (
          <>
            <dt>Open calls</dt>
            <dd>{divergence.open.join(", ")}</dd>
          </>
        )}
      </dl>
      {divergence.stack !== undefined && <pre className="replay__json">{divergence.stack}</pre>}
      {next !== null && next !== position && (
        <Button look="danger" onClick={() => onGo(next)}>
          Go to line {lineNumber(next)}
        </Button>
      )}
    </div>
  );
}

/** The last replayed line and the next divergence. */
export function StepPane({ line, position, problem, startedAt, divergence, crashes, next, onGo }: StepPaneProps) {
  return (
    <section className="replay__pane replay__pane--step" id="replay-step" aria-labelledby="replay-step-title">
      <h2 className="replay__heading" id="replay-step-title">
        {line ? `Line ${lineNumber(position)}, ${line.kind}` : "Line 1, the start"}
      </h2>
      {problem !== null && <p className="replay__problem">{problem}</p>}
      {line ? (
        <>
          <p className="replay__type">{line.type}</p>
          <dl className="replay__facts">
            <dt>At</dt>
            <dd>{timeOf(line.at)}</dd>
            <dt>Clock</dt>
            <dd>{clockText(line.mono)}</dd>
            <dt>Origin</dt>
            <dd>{line.origin}</dd>
            {line.kind === "effect" && (
              <>
                <dt>Answers</dt>
                <dd>{line.call}</dd>
              </>
            )}
          </dl>
          <pre className="replay__json">
            {payloadText(line.kind === "snapshot" ? line.payload.counters : line.payload)}
          </pre>
        </>
      ) : (
        <p className="replay__type">Page load, {timeOf(startedAt)}</p>
      )}
      {crashes.map(({ message, stack }) => (
        <div className="replay__divergence" key={message}>
          <h3>This turn threw</h3>
          <pre className="replay__json">{stack}</pre>
        </div>
      ))}
      {divergence && <DivergenceBox divergence={divergence} position={position} next={next} onGo={onGo} />}
    </section>
  );
}
