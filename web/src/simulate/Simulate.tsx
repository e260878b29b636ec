import { type DragEvent, useContext, useMemo, useRef, useState } from "react";
import { useSelector } from "react-redux";
import { Empty } from "../components/basic/Empty";
import { SiteContext } from "../ports/site";
import { program } from "../sagas/program";
import { Component as NotFound } from "../screens/NotFound";
import { useDocumentTitle } from "../screens/shell/useDocumentTitle";
import { selectSettings } from "../slices/catalogue";
import { layAxis } from "./axis";
import type { Base } from "./comparison";
import { fileText } from "./fileText";
import { isWide } from "./frameSize";
import { arrivals, layOutLanes } from "./lanes";
import { allCrashes, crashesAt, divergences, positionOf } from "./outcome";
import { problemsOf } from "./problems";
import { lineAt, lineNumber, openRecording, type Recording } from "./recording";
import { ScreenPane } from "./ScreenPane";
import { StatePane } from "./StatePane";
import { StepPane } from "./StepPane";
import { isFound, nextOf, previousOf } from "./search";
import { Timeline } from "./Timeline";
import { Toolbar } from "./Toolbar";
import { useFindings } from "./useFindings";
import { useKeys } from "./useKeys";
import { usePlayer } from "./usePlayer";
import "./simulate.css";

const PANES = ["screen", "state", "step"] as const;
type Pane = (typeof PANES)[number];
const PANE_NAMES: Readonly<Record<Pane, string>> = { screen: "Screen", state: "State", step: "Step" };

/** Number of steps that a page key moves. */
const PAGE = 10;

/** Enabled by the channel's setting, or by `/simulate?qa`. */
function useIsOffered(): boolean {
  const offered = useSelector(selectSettings)?.simulate ?? false;
  return offered || new URLSearchParams(window.location.search).has("qa");
}

/** The replayer's page. It has its own store and doesn't touch the visitor's data. */
export function Component() {
  return useIsOffered() ? <Replayer /> : <NotFound />;
}

function Replayer() {
  useDocumentTitle("Replay of a recorded log");
  const site = useContext(SiteContext);
  const [recording, setRecording] = useState<Recording | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  // It stays while other files are opened.
  const [base, setBase] = useState<Base | null>(null);
  const [isDropping, setDropping] = useState(false);
  const openings = useRef(0);

  function open(name: string, text: string): void {
    try {
      setRecording(openRecording(program, name, text));
      setFault(null);
    } catch (error) {
      refuse(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Closes the open file, so that the page never shows one file under another's name. */
  function refuse(why: string): void {
    setRecording(null);
    setFault(why);
  }

  /** Opens the result of `read`, unless something else was opened meanwhile. */
  async function openLater(
    name: string,
    read: () => Promise<{ name: string; text: string } | undefined>,
  ): Promise<void> {
    openings.current += 1;
    const opening = openings.current;
    const isLate = (): boolean => opening !== openings.current;
    try {
      const log = await read();
      if (log && !isLate()) open(log.name, log.text);
    } catch (error) {
      if (!isLate()) refuse(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  const openFile = (file: File): void =>
    void openLater(file.name, async () => ({ name: file.name.replace(/\.gz$/i, ""), text: await fileText(file) }));
  const openSession = (): void => void openLater("This session", async () => site?.currentLog());

  const dragged = (isOver: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setDropping(isOver);
  };

  return (
    <div
      className={`replay${isDropping ? " replay--dropping" : ""}`}
      onDragOver={dragged(true)}
      onDragLeave={dragged(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        const [file] = event.dataTransfer.files;
        if (file) openFile(file);
      }}
    >
      <Session
        key={recording ? "open" : "empty"}
        recording={recording}
        fault={fault}
        base={base}
        onBase={setBase}
        onFile={openFile}
        onSession={site ? openSession : null}
      />
    </div>
  );
}

interface SessionProps {
  readonly recording: Recording | null;
  readonly fault: string | null;
  /** The step that is compared; null without a comparison. */
  readonly base: Base | null;
  readonly onBase: (base: Base | null) => void;
  readonly onFile: (file: File) => void;
  readonly onSession: (() => void) | null;
}

function Session({ recording, fault, base, onBase, onFile, onSession }: SessionProps) {
  const [skipIdle, setSkipIdle] = useState(true);
  const [search, setSearch] = useState("");
  const [pane, setPane] = useState<Pane>("screen");
  const verdict = useFindings(recording?.text ?? null);
  const axis = useMemo(() => layAxis(recording?.log.lines ?? [], skipIdle), [recording, skipIdle]);
  const lanes = useMemo(() => (recording ? layOutLanes(recording) : []), [recording]);
  const came = useMemo(() => arrivals(recording?.log.lines ?? []), [recording]);
  const player = usePlayer(recording, axis);
  const meant = useMemo(
    () => (recording?.log.lines ?? []).flatMap((line, index) => (isFound(line, search) ? [index + 1] : [])),
    [recording, search],
  );

  const findings = verdict.at === "told" ? verdict.findings : null;
  const problems = useMemo(
    () => problemsOf(recording?.log.lines ?? [], lanes, allCrashes(findings)),
    [recording, lanes, findings],
  );
  const { position } = player;
  const step = (forward: boolean): void => {
    const next = forward ? meant.find((one) => one > position) : meant.findLast((one) => one < position);
    if (next !== undefined) player.go(next);
    else if (!forward && search === "") player.go(0);
  };
  const goTo = (next: number | undefined): void => {
    if (next !== undefined) player.go(next);
  };
  const nextProblem = (): void =>
    goTo(
      nextOf(
        problems.map((one) => one.position),
        position,
      ),
    );
  useKeys({
    ArrowRight: () => step(true),
    ArrowUp: () => step(true),
    ArrowLeft: () => step(false),
    ArrowDown: () => step(false),
    PageUp: () => player.go(position + PAGE),
    PageDown: () => player.go(position - PAGE),
    Home: () => player.go(0),
    End: () => player.go(Number.POSITIVE_INFINITY),
    " ": () => (player.isPlaying ? player.pause() : player.play()),
    n: nextProblem,
  });

  const bar = { recording, verdict, fault, onFile, onSession };
  if (!recording)
    return (
      <>
        <Toolbar {...bar} position={0} />
        <div className="replay__empty">
          <Empty
            title="Open a recorded session"
            text="Drop a .jsonl file here, or open one. What it tells is replayed in this page alone: nothing of yours is read or changed."
          />
        </div>
      </>
    );

  const found = divergences(findings);
  // The divergence at this position counts as well; from it the button goes to the next.
  const divergence = found.find((one) => positionOf(one) >= position) ?? found[0];
  const nextDivergence = found.find((one) => positionOf(one) > position) ?? found[0];
  const line = lineAt(recording, position);
  return (
    <>
      <Toolbar {...bar} position={position} />
      <div className="replay__panes-choice" role="tablist" aria-label="Panes">
        {PANES.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={one === pane}
            aria-controls={`replay-${one}`}
            onClick={() => setPane(one)}
          >
            {PANE_NAMES[one]}
          </button>
        ))}
      </div>
      <div className="replay__panes" data-pane={pane} data-wide={isWide(recording.log.header.window)}>
        <ScreenPane recording={recording} position={position} line={line} />
        <StatePane recording={recording} position={position} base={base} onBase={onBase} onGo={player.go} />
        <StepPane
          line={line}
          position={position}
          problem={problems.find((one) => one.position === position)?.title ?? null}
          startedAt={recording.log.header.started_at}
          divergence={divergence ?? null}
          crashes={crashesAt(findings, lineNumber(position))}
          next={nextDivergence ? positionOf(nextDivergence) : null}
          onGo={player.go}
        />
      </div>
      <Timeline
        axis={axis}
        lanes={lanes}
        arrivals={came}
        meant={search === "" ? null : new Set(meant)}
        divergences={found.map(positionOf)}
        player={player}
        search={{
          text: search,
          count: meant.length,
          onChange: setSearch,
          onGo: (forward) => goTo((forward ? nextOf : previousOf)(meant, position)),
        }}
        problems={{ count: problems.length, onNext: nextProblem }}
        skipIdle={{ on: skipIdle, onChange: setSkipIdle }}
        onStep={step}
      />
    </>
  );
}
