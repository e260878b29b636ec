import { Button } from "../components/basic/Button";
import type { Divergence } from "../eventlog/divergence";
import type { Line } from "../eventlog/envelope";
import { clockText } from "./axis";
import { outline } from "./changes";
import { positionOf } from "./outcome";

interface StepPaneProps {
  /** The line that led here; undefined at the start. */
  readonly line: Line | undefined;
  readonly position: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** The one that stands here, or comes next. */
  readonly divergence: Divergence | null;
  /** The position of the one to go to; null: there is none. */
  readonly next: number | null;
  readonly onGo: (position: number) => void;
}

/** The longest payload that is shown whole. */
const LONGEST = 20_000;

const WHYS: Readonly<Record<Divergence["why"], string>> = {
  "missing-action": "The log has an action that the sagas did not dispatch.",
  "extra-action": "The sagas dispatched an action that the log does not have here.",
  "different-action": "The sagas dispatched another action.",
  "unasked-answer": "The log answers a call that the sagas did not make.",
  "different-draw": "A number or an id was drawn differently.",
  state: "The state is not the one recorded.",
  crash: "A turn threw on one side alone.",
  order: "The lines are not as they were written.",
};

const timeOf = (at: number): string => new Date(at).toISOString().replace("T", " ").replace("Z", " UTC");

function payloadText(payload: unknown): string {
  const text = JSON.stringify(payload, null, 2);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… (${text.length} characters)`;
}

interface DivergenceBoxProps extends Pick<StepPaneProps, "position" | "next" | "onGo"> {
  readonly divergence: Divergence;
}

function DivergenceBox({ divergence, position, next, onGo }: DivergenceBoxProps) {
  return (
    <div className="replay__divergence">
      <h3>Divergence at {positionOf(divergence)}</h3>
      <p>{WHYS[divergence.why]}</p>
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
      {next !== null && next !== position && (
        <Button look="danger" onClick={() => onGo(next)}>
          Go to {next}
        </Button>
      )}
    </div>
  );
}

/** The line that was replayed last, and the divergence that comes next. */
export function StepPane({ line, position, startedAt, divergence, next, onGo }: StepPaneProps) {
  return (
    <section className="replay__pane replay__pane--step" id="replay-step" aria-labelledby="replay-step-title">
      <h2 className="replay__heading" id="replay-step-title">
        {line ? `${line.kind} ${position}` : "The start"}
      </h2>
      {line ? (
        <>
          <p className="replay__type">{line.type}</p>
          <dl className="replay__facts">
            <dt>At</dt>
            <dd>{timeOf(line.at)}</dd>
            <dt>Clock</dt>
            <dd>+ {clockText(line.mono)}</dd>
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
      {divergence && <DivergenceBox divergence={divergence} position={position} next={next} onGo={onGo} />}
    </section>
  );
}
