import type { CSSProperties } from "react";
import "./Touchline.css";

export type Step = "done" | "now" | "waiting" | "failed" | "succeeded" | "todo";

/** The line's state. Nearby text always says the same. */
export type LineState =
  | { readonly kind: "upcoming" }
  | { readonly kind: "live" }
  /** `at` is the watched share, 0 to 1. */
  | { readonly kind: "watched"; readonly at: number }
  /** `at` is the progress within the current step, 0 to 1. */
  | { readonly kind: "steps"; readonly steps: readonly Step[]; readonly at?: number }
  /** `left` is the remaining share of the time, 0 to 1. */
  | { readonly kind: "draining"; readonly left: number };

interface TouchlineProps {
  readonly state: LineState;
  readonly thick?: boolean;
}

/** A share as the custom property that the style sheet reads. */
function at(share: number): CSSProperties {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;
  return { "--at": `${percent}%` } as CSSProperties;
}

/** A line that shows a state. Hidden from screen readers. */
export function Touchline({ state, thick }: TouchlineProps) {
  const base = `touchline${thick ? " touchline--thick" : ""}`;
  switch (state.kind) {
    case "upcoming":
      return <div className={`${base} touchline--upcoming`} aria-hidden="true" />;
    case "live":
      return (
        <div className={base} aria-hidden="true">
          <i className="touchline__part touchline__part--live" />
        </div>
      );
    case "watched":
    case "draining":
      return (
        <div className={base} aria-hidden="true">
          <i className="touchline__part">
            <b className="touchline__fill" style={at(state.kind === "watched" ? state.at : state.left)} />
          </i>
        </div>
      );
    case "steps":
      return (
        <div className={base} aria-hidden="true">
          {state.steps.map((step, index) => (
            <i
              key={index}
              className={`touchline__part touchline__part--${step}`}
              style={step === "now" || step === "waiting" ? at(state.at ?? 0.5) : undefined}
            />
          ))}
        </div>
      );
    default:
      return state satisfies never;
  }
}
