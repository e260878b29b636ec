import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { Notice } from "../../components/basic/Notice";
import { FormAlert } from "../../components/form/FormAlert";
import { type SessionSummary, summaryOf } from "../../eventlog/sessionSummary";
import { useTexts } from "../../i18n/useTexts";
import type { SiteFile, SitePort } from "../../ports/site";
import { countLines, type FittedLog, fitLog } from "./fitLog";
import { MAX_NOTE_LENGTH, type Sent, sendReport } from "./sendReport";
import { type ReportTexts, texts } from "./texts";
import "./ReportDialog.css";

interface ReportDialogProps {
  readonly site: Pick<SitePort, "currentLog" | "earlierLog" | "requestIds" | "download">;
  readonly onClose: () => void;
  /** Defaults to the browser's `fetch`. */
  readonly send?: typeof fetch;
}

interface Recordings {
  readonly present: SiteFile;
  readonly earlier: SiteFile | null;
}

/** Maximum characters of a recording on screen; the file contains all of it. */
const PREVIEW_LENGTH = 200_000;

/** A recording as it can be sent. */
interface Prepared {
  readonly log: FittedLog;
  /** Facts about the whole session, also if its middle is cut out. */
  readonly summary: SessionSummary | undefined;
}

/** Null while the recording is being prepared. */
function usePrepared(file: SiteFile | null): Prepared | null {
  const [prepared, setPrepared] = useState<(Prepared & { readonly file: SiteFile }) | null>(null);
  useEffect(() => {
    if (!file) return;
    let isCancelled = false;
    fitLog(file.text)
      // A browser that fails to compress can't send it.
      .catch((): FittedLog => ({ at: "tooLarge" }))
      .then((log) => {
        if (!isCancelled) setPrepared({ file, log, summary: summaryOf(file.text) });
      });
    return () => {
      isCancelled = true;
    };
  }, [file]);
  return prepared?.file === file ? prepared : null;
}

/** A recording that can't be read doesn't prevent a report. */
async function readRecordings({ currentLog, earlierLog }: ReportDialogProps["site"]): Promise<Recordings> {
  const [present, earlier] = await Promise.all([currentLog().catch(() => null), earlierLog().catch(() => null)]);
  return { present: present ?? { name: "touchline.jsonl", text: "" }, earlier };
}

function useRecordings(site: ReportDialogProps["site"]): Recordings | null {
  const [recordings, setRecordings] = useState<Recordings | null>(null);
  useEffect(() => {
    let isCancelled = false;
    void readRecordings(site).then((read) => {
      if (!isCancelled) setRecordings(read);
    });
    return () => {
      isCancelled = true;
    };
  }, [site]);
  return recordings;
}

function sizeText(text: string, language: string): string {
  const format = new Intl.NumberFormat(language, { style: "unit", unit: "kilobyte", maximumFractionDigits: 0 });
  return format.format(Math.ceil(new Blob([text]).size / 1024));
}

interface RecordingViewProps {
  readonly labels: ReportTexts;
  readonly language: string;
  readonly file: SiteFile;
  readonly fitted: FittedLog;
  readonly summary: SessionSummary | undefined;
  readonly requestIds: readonly string[];
}

/** A preview of the data that will be sent. */
function RecordingView({ labels, language, file, fitted, summary, requestIds }: RecordingViewProps) {
  const text = fitted.at === "tooLarge" ? file.text : fitted.text;
  const count = new Intl.NumberFormat(language).format(countLines(text));
  const ids = requestIds.length === 0 ? "" : `\n\n${requestIds.join("\n")}`;
  const facts = summary ? `\n\n${JSON.stringify(summary)}` : "";
  const preview = text.length <= PREVIEW_LENGTH ? text : `${text.slice(0, PREVIEW_LENGTH)}\n…`;
  return (
    <details className="report__what">
      <summary>
        {labels.what}
        <span className="muted figures">
          {labels.lines(count, sizeText(text, language))}, {labels.requestIds(requestIds.length)}
        </span>
      </summary>
      <pre className="report__log" tabIndex={0}>
        {preview}
        {ids}
        {facts}
      </pre>
    </details>
  );
}

/** Shows the contents of a problem report, and sends or saves it. */
export function ReportDialog({ site, onClose, send = (...args) => window.fetch(...args) }: ReportDialogProps) {
  const { language } = useTexts();
  const labels = texts[language];
  const id = useId();
  const recordings = useRecordings(site);
  const [which, setWhich] = useState<keyof Recordings>("present");
  const note = useRef<HTMLTextAreaElement>(null);
  const [isSending, setSending] = useState(false);
  const [sent, setSent] = useState<Sent | null>(null);
  const [presentIds] = useState(() => site.requestIds());
  const file = recordings && (recordings[which] ?? recordings.present);
  // The current page made none of the earlier session's requests.
  const requestIds = file === recordings?.present ? presentIds : [];
  const prepared = usePrepared(file);
  const { log: fitted, summary } = prepared ?? { log: null, summary: undefined };

  if (sent?.at === "sent")
    return (
      <Dialog title={labels.sent} subtitle={labels.receipt} onClose={onClose}>
        <p className="figures report__receipt">{sent.id}</p>
        <Button look="primary" onClick={onClose}>
          {labels.close}
        </Button>
      </Dialog>
    );
  if (!recordings || !file)
    return (
      <Dialog title={labels.title} subtitle={labels.reading} onClose={onClose}>
        {null}
      </Dialog>
    );

  async function sendNow(): Promise<void> {
    if (!fitted || fitted.at === "tooLarge") return;
    setSending(true);
    const report = {
      note: note.current?.value ?? "",
      page: window.location.pathname,
      log: fitted.text,
      request_ids: requestIds,
      ...(summary ? { summary } : {}),
    };
    setSent(await sendReport(report, send));
    setSending(false);
  }

  return (
    <Dialog title={labels.title} subtitle={labels.intro} onClose={onClose}>
      <div className="report">
        <div className="field">
          <label className="field__label" htmlFor={`${id}note`}>
            {labels.note}
          </label>
          <textarea
            ref={note}
            id={`${id}note`}
            className="report__note"
            rows={4}
            maxLength={MAX_NOTE_LENGTH}
            placeholder={labels.notePlaceholder}
          />
        </div>
        {recordings.earlier && (
          <fieldset className="report__which">
            <legend className="field__label">{labels.which}</legend>
            {(["present", "earlier"] as const).map((one) => (
              <label key={one}>
                <input type="radio" name={`${id}which`} checked={which === one} onChange={() => setWhich(one)} />
                {labels[one]}
              </label>
            ))}
          </fieldset>
        )}
        <p className="type-meta muted">{file.text === "" ? labels.empty : labels.explained}</p>
        {file.text !== "" && fitted && <RecordingView {...{ labels, language, file, fitted, summary, requestIds }} />}
        {fitted?.at === "cut" && (
          <Notice tone="warning">
            {labels[fitted.hasBeginning ? "cut" : "cutBeginning"](
              new Intl.NumberFormat(language).format(fitted.missing),
            )}
          </Notice>
        )}
        {fitted?.at === "tooLarge" && <Notice tone="warning">{labels.tooLarge}</Notice>}
        {sent?.at === "failed" && <FormAlert refusal={sent}>{labels[sent.why]}</FormAlert>}
        <div className="report__acts">
          <Button
            look="primary"
            busy={isSending}
            disabled={!fitted || fitted.at === "tooLarge"}
            onClick={() => void sendNow()}
          >
            {labels.send}
          </Button>
          {file.text !== "" && (
            <Button icon="download" onClick={() => site.download(file)}>
              {labels.save}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
