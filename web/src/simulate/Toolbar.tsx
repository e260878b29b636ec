import { useContext, useRef, useState } from "react";
import { Chip } from "../components/basic/Badge";
import { Button } from "../components/basic/Button";
import { fileLine } from "../eventlog/parse";
import { KIND_TITLES } from "../eventlog/report";
import { SiteContext } from "../ports/site";
import { type Finding, warningsOf } from "./outcome";
import type { Recording } from "./recording";
import { caseName, testCase } from "./testCase";
import type { Verdict } from "./useFindings";

interface ToolbarProps {
  readonly recording: Recording | null;
  readonly verdict: Verdict;
  /** The error of the last file. */
  readonly fault: string | null;
  readonly position: number;
  readonly onFile: (file: File) => void;
  /** Opens the log of the visitor's current page; null if there is none. */
  readonly onSession: (() => void) | null;
}

const findingText = (name: string, { same, divergence }: Finding): string =>
  same ? `${name} the same` : `${name} diverged at line ${divergence?.line ?? 1}`;

function Verdicts({ verdict }: { readonly verdict: Verdict }) {
  switch (verdict.at) {
    case "none":
      return null;
    case "replaying":
      return <Chip icon="clock">Replaying</Chip>;
    case "failed":
      return (
        <Chip tone="danger" icon="alert">
          {verdict.message}
        </Chip>
      );
    case "told": {
      const { kind, missing, reducers, sagas } = verdict.findings;
      return (
        <>
          {kind !== null && (
            <span title={KIND_TITLES[kind]}>
              <Chip tone="danger" icon="alert">
                {kind === "tampered" ? "The log was edited" : "The product diverged"}
              </Chip>
            </span>
          )}
          {missing.map(({ line, what }) => (
            <Chip key={`${line} ${what}`} tone="warning" icon="alert">
              Missing at line {line}: {what}
            </Chip>
          ))}
          {warningsOf(verdict.findings).map((warning) => (
            <Chip key={warning} tone="warning" icon="info">
              {warning}
            </Chip>
          ))}
          <VerdictChip name="Reducers" finding={reducers} />
          {typeof sagas === "string" ? (
            <Chip icon="info">Sagas: {sagas}</Chip>
          ) : (
            <VerdictChip name="Sagas" finding={sagas} />
          )}
        </>
      );
    }
  }
}

function VerdictChip({ name, finding }: { readonly name: string; readonly finding: Finding }) {
  return (
    <span title={`${finding.actions} actions, state ${finding.hash}`}>
      <Chip tone={finding.same ? "success" : "danger"} icon={finding.same ? "check" : "alert"}>
        {findingText(name, finding)}
      </Chip>
    </span>
  );
}

/** The open file, its verdict and actions. */
export function Toolbar({ recording, verdict, fault, position, onFile, onSession }: ToolbarProps) {
  const site = useContext(SiteContext);
  const input = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<string | null>(null);
  const header = recording?.log.header;

  async function copyCase(): Promise<void> {
    if (!recording) return;
    const text = testCase(recording, position);
    try {
      await navigator.clipboard.writeText(text);
      setCopied("Copied");
    } catch {
      // Plain HTTP has no clipboard: the case is downloaded as a file.
      site?.download({ name: `${caseName(recording.name)}.test.ts`, text });
      setCopied("Saved");
    }
  }

  return (
    <header className="replay__bar">
      <h1 className="replay__title">Replay</h1>
      <p className="replay__file figures">
        {recording && header
          ? `${recording.name}, ${fileLine(recording.log.lines.length - 1)} lines, build ${header.build}, ${header.channel}, ${header.locale}`
          : "No session is open"}
      </p>
      <div className="replay__verdicts" role="status">
        {fault !== null && (
          <Chip tone="danger" icon="alert">
            {fault}
          </Chip>
        )}
        <Verdicts verdict={verdict} />
      </div>
      <input
        ref={input}
        className="visually-hidden"
        type="file"
        accept=".jsonl,.json,.txt,.gz"
        aria-label="Log file"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onFile(file);
          // Allows reopening the same file after it has changed.
          target.value = "";
        }}
      />
      <Button onClick={() => input.current?.click()}>Open</Button>
      {onSession && (
        <Button look="quiet" onClick={onSession}>
          This session
        </Button>
      )}
      {recording && (
        <>
          <Button look="quiet" onClick={() => void copyCase()}>
            <span aria-live="polite">{copied ?? "Copy as test"}</span>
          </Button>
          <Button
            look="quiet"
            icon="download"
            onClick={() => site?.download({ name: recording.name, text: recording.text })}
          >
            Export
          </Button>
        </>
      )}
    </header>
  );
}
