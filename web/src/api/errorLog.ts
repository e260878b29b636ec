import { PortError } from "../ports/error";

/** One line for the worker's error log: what failed, without keys. */
export interface ErrorLine {
  date: string;
  /** 0 when there was no answer. */
  status: number;
  message: string;
  url: string;
  request_id?: string;
}

export interface ErrorLog {
  report(error: PortError, url: string): void;
}

const WAITING = 20;
const LONGEST = 2000;

export function errorLine(error: PortError, url: string, now: number): ErrorLine {
  const { details } = error;
  const id =
    typeof details === "object" && details !== null && "request_id" in details ? details.request_id : undefined;
  return {
    date: new Date(now).toISOString(),
    status: error.status ?? 0,
    message: `${error.code}: ${error.message}`.slice(0, LONGEST),
    url: url.slice(0, LONGEST),
    ...(typeof id === "string" ? { request_id: id } : {}),
  };
}

/**
 * Tells the worker what failed, one line at a time. Lines that cannot be sent wait, the latest few of them, for the
 * next failure to try again: a broken network must not be made busier by its own reports.
 */
export function createErrorLog(send: (line: ErrorLine) => Promise<unknown>, now: () => number): ErrorLog {
  let waiting: ErrorLine[] = [];
  let sending = false;

  async function drain(): Promise<void> {
    if (sending) return;
    sending = true;
    try {
      for (let line = waiting[0]; line !== undefined; line = waiting[0]) {
        await send(line).catch((error: unknown) => {
          // A line that will never be taken must not hold up those behind it.
          if (!(error instanceof PortError) || error.retryable) throw error;
        });
        waiting = waiting.filter((other) => other !== line);
      }
    } catch {
      // Nothing is lost to the viewer by it, and reporting the report would never end.
    } finally {
      sending = false;
    }
  }

  return {
    report(error, url) {
      waiting = [...waiting, errorLine(error, url, now())].slice(-WAITING);
      void drain();
    },
  };
}
