import { useEffect, useState } from "react";
import { type Findings, replayApart } from "./outcome";

/** The status of a log's replay. */
export type Verdict =
  | { readonly at: "none" | "replaying" }
  | { readonly at: "told"; readonly findings: Findings }
  | { readonly at: "failed"; readonly message: string };

const NONE: Verdict = { at: "none" };

/** Replays a log in a Worker; null if no log is open. */
export function useFindings(text: string | null): Verdict {
  const [latest, setLatest] = useState<{ readonly text: string; readonly verdict: Verdict } | null>(null);
  useEffect(() => {
    if (text === null) return;
    return replayApart(text, (answer) =>
      setLatest({
        text,
        verdict:
          "findings" in answer ? { at: "told", findings: answer.findings } : { at: "failed", message: answer.failed },
      }),
    );
  }, [text]);
  if (text === null) return NONE;
  return latest?.text === text ? latest.verdict : { at: "replaying" };
}
