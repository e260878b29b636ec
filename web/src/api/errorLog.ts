import { PortError } from "../ports/error";

/** One line of the worker's error log: the failed call, without keys. */
export interface ErrorLine {
  date: string;
  /** 0 without an answer. */
  status: number;
  message: string;
  url: string;
  request_id?: string;
}

export interface ErrorLog {
  report(error: PortError, url: string): void;
}

const WAITING = 20;
const MAX_LENGTH = 2000;

function errorLine(error: PortError, url: string, now: number): ErrorLine {
  const { details } = error;
  const id =
    typeof details === "object" && details !== null && "request_id" in details ? details.request_id : undefined;
  return {
    date: new Date(now).toISOString(),
    status: error.status ?? 0,
    message: `${error.code}: ${error.message}`.slice(0, MAX_LENGTH),
    url: url.slice(0, MAX_LENGTH),
    ...(typeof id === "string" ? { request_id: id } : {}),
  };
}

/**
 * Reports failures to the worker, one line at a time. Lines that can't be sent wait (only the latest few) for the next
 * failure, so that reports don't load a broken network.
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
          // A line that will never be accepted must not block the lines behind it.
          if (!(error instanceof PortError) || error.retryable) throw error;
        });
        waiting = waiting.filter((other) => other !== line);
      }
    } catch {
      // The viewer loses nothing, and reporting this failure would loop.
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
