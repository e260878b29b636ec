import { type PointerEvent, useLayoutEffect, useRef } from "react";
import { Button } from "../components/basic/Button";
import { type Axis, clockAt, clockText, positionAt, ticks } from "./axis";
import type { Arrival, Lane } from "./lanes";
import { lineNumber } from "./recording";
import { matchCount } from "./search";
import { type Player, SPEEDS } from "./usePlayer";

interface TimelineProps {
  readonly axis: Axis;
  readonly lanes: readonly Lane[];
  readonly arrivals: readonly Arrival[];
  /** Positions that match the search; null without one. */
  readonly meant: ReadonlySet<number> | null;
  /** Positions of divergences. */
  readonly divergences: readonly number[];
  readonly player: Player;
  readonly search: {
    readonly text: string;
    readonly count: number;
    readonly onChange: (text: string) => void;
    /** Goes to the next or previous match. */
    readonly onGo: (forward: boolean) => void;
  };
  /** The number of problems; goes to the next one. */
  readonly problems: { readonly count: number; readonly onNext: () => void };
  readonly skipIdle: { readonly on: boolean; readonly onChange: (on: boolean) => void };
  /** Goes to the next or previous step, of the matches if there is a search. */
  readonly onStep: (forward: boolean) => void;
}

/** Spans narrower than this share of the session have no label. */
const NAMED = 0.03;

const percent = (part: number): string => `${(100 * part).toFixed(3)}%`;

/** Positions an element in time. Its style is set through the CSSOM, since the policy forbids inline styles. */
function useTimePosition<E extends HTMLElement>(start: number, width?: number) {
  const element = useRef<E>(null);
  useLayoutEffect(() => {
    const style = element.current?.style;
    if (!style) return;
    style.left = percent(start);
    if (width !== undefined) style.width = percent(width);
  }, [start, width]);
  return element;
}

function Tick({ at, axis }: { readonly at: number; readonly axis: Axis }) {
  return <span ref={useTimePosition<HTMLSpanElement>(at / axis.length)}>{clockText(clockAt(axis, at), false)}</span>;
}

function Mark({ arrival, axis, isDim }: { readonly arrival: Arrival; readonly axis: Axis; readonly isDim: boolean }) {
  const ref = useTimePosition<HTMLElement>((axis.at[arrival.position] ?? 0) / axis.length);
  const dim = isDim ? " replay__mark--dim" : "";
  return <i ref={ref} className={`replay__mark replay__mark--${arrival.origin}${dim}`} title={arrival.type} />;
}

function SpanBar({
  span,
  axis,
  isCurrent,
}: {
  readonly span: Lane["spans"][number];
  readonly axis: Axis;
  readonly isCurrent: boolean;
}) {
  const start = (axis.at[span.from] ?? 0) / axis.length;
  const end = (axis.at[span.to] ?? axis.length) / axis.length;
  const ref = useTimePosition<HTMLElement>(start, end - start);
  const current = isCurrent ? " replay__span--current" : "";
  return (
    <i ref={ref} className={`replay__span replay__span--${span.tone}${current}`} title={span.at}>
      {end - start >= NAMED && <span>{span.at}</span>}
    </i>
  );
}

function Needle({
  position,
  axis,
  kind,
}: {
  readonly position: number;
  readonly axis: Axis;
  readonly kind: "now" | "divergence";
}) {
  const ref = useTimePosition<HTMLElement>((axis.at[position] ?? axis.length) / axis.length);
  return (
    <i ref={ref} className={`replay__needle replay__needle--${kind}`}>
      <b>{lineNumber(position)}</b>
    </i>
  );
}

/** Playback, stepping and scrubbing, with a lane for each machine. */
export function Timeline(props: TimelineProps) {
  const { axis, lanes, arrivals, meant, divergences, player, search, problems, skipIdle, onStep } = props;
  const { position, isPlaying, speed } = player;
  const last = axis.at.length - 1;
  const track = useRef<HTMLDivElement>(null);
  const clock = axis.clock[position] ?? 0;

  function scrub({ clientX }: PointerEvent): void {
    const box = track.current?.getBoundingClientRect();
    if (box) player.go(positionAt(axis, ((clientX - box.left) / box.width) * axis.length));
  }

  return (
    <section className="replay__time" aria-label="Timeline">
      <div className="replay__controls">
        <Button look="quiet" icon="chevronLeft" label="Step back" onClick={() => onStep(false)} />
        <Button
          look="primary"
          icon={isPlaying ? "pause" : "play"}
          label={isPlaying ? "Pause" : "Play"}
          onClick={() => (isPlaying ? player.pause() : player.play())}
        />
        <Button look="quiet" icon="chevronRight" label="Step forward" onClick={() => onStep(true)} />
        <p className="replay__position figures">
          line <b>{lineNumber(position)}</b> of {lineNumber(last)} <b>{clockText(clock)}</b> of{" "}
          {clockText(axis.clock[last] ?? 0)}
        </p>
        <label className="replay__speed">
          <span className="visually-hidden">Speed</span>
          <select value={speed} onChange={({ target }) => player.setSpeed(Number(target.value))}>
            {SPEEDS.map((one) => (
              <option key={one} value={one}>
                {one}×
              </option>
            ))}
          </select>
        </label>
        <Button aria-pressed={skipIdle.on} onClick={() => skipIdle.onChange(!skipIdle.on)}>
          Skip idle
        </Button>
        <Button look="quiet" disabled={problems.count === 0} onClick={problems.onNext}>
          {problems.count === 0 ? "No problems" : "Next problem"}
        </Button>
        <div className="replay__search">
          <label>
            <span className="visually-hidden">Search</span>
            <input
              type="search"
              placeholder="Search: purchase, timer, 90401, declined"
              value={search.text}
              onChange={({ target }) => search.onChange(target.value)}
              onKeyDown={({ key, shiftKey, nativeEvent }) => {
                if (key === "Enter" && !nativeEvent.isComposing) search.onGo(!shiftKey);
              }}
            />
          </label>
          <span className="figures" role="status">
            {search.text === "" ? "" : matchCount(search.count)}
          </span>
        </div>
        <ul className="replay__legend">
          <li>
            <i className="replay__mark replay__mark--ui" /> viewer
          </li>
          <li>
            <i className="replay__mark replay__mark--sync" /> sync
          </li>
          <li>
            <i className="replay__mark replay__mark--timer" /> timer
          </li>
          <li>
            <i className="replay__mark replay__mark--api" /> answer
          </li>
        </ul>
      </div>
      <div className="replay__scroll">
        <div
          className="replay__lanes"
          role="slider"
          tabIndex={0}
          aria-label="Position"
          aria-valuemin={lineNumber(0)}
          aria-valuemax={lineNumber(last)}
          aria-valuenow={lineNumber(position)}
          aria-valuetext={`line ${lineNumber(position)} of ${lineNumber(last)}, ${clockText(clock)}`}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            scrub(event);
          }}
          onPointerMove={(event) => {
            if (event.buttons === 1) scrub(event);
          }}
        >
          <div className="replay__lane replay__ruler">
            <b />
            <div className="replay__track" ref={track}>
              {ticks(axis).map((one) => (
                <Tick key={one} at={one} axis={axis} />
              ))}
            </div>
          </div>
          <div className="replay__lane">
            <b>what came in</b>
            <div className="replay__track">
              {arrivals.map((arrival) => (
                <Mark
                  key={arrival.position}
                  arrival={arrival}
                  axis={axis}
                  isDim={meant !== null && !meant.has(arrival.position)}
                />
              ))}
            </div>
          </div>
          {lanes.map(({ name, spans }) => (
            <div className="replay__lane" key={name}>
              <b>{name}</b>
              <div className="replay__track">
                {spans.map((span) => (
                  <SpanBar
                    key={span.from}
                    span={span}
                    axis={axis}
                    isCurrent={span.from <= position && position < span.to}
                  />
                ))}
              </div>
            </div>
          ))}
          <div className="replay__needles" aria-hidden="true">
            <Needle position={position} axis={axis} kind="now" />
            {divergences.map((one) => (
              <Needle key={one} position={one} axis={axis} kind="divergence" />
            ))}
          </div>
        </div>
      </div>
    </section>
  );
}
