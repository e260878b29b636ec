import type { EffectPayload } from "./envelope";

export type OutcomeKind =
  /** The channel or the site refused something, with this code. */
  | "refused"
  /** A call failed without the channel's answer, or with its fault. */
  | "error"
  | "purchase_failed"
  | "purchase_interrupted"
  | "error_screen"
  | "crash";

export interface SessionOutcome {
  readonly kind: OutcomeKind;
  readonly code?: string;
  readonly count: number;
}

/** LOG-5. The facts by which a session is found among others; a log without a header has none. */
export interface SessionSummary {
  readonly build: string;
  readonly language: string;
  /** Without repetitions, in order of first occurrence. */
  readonly outcomes: readonly SessionOutcome[];
  /** The longest time that a call of the API was open, in milliseconds. */
  readonly longest_wait_ms: number;
}

/** The worker's limits of a summary. */
export const SUMMARY_LIMITS = { outcomes: 50, text: 100, count: 1_000_000, wait_ms: 86_400_000 } as const;

const KINDS: Readonly<Record<string, OutcomeKind>> = {
  "purchase/refused": "refused",
  "form/refused": "refused",
  "login/refused": "refused",
  "purchase/confirmationRefused": "purchase_failed",
  "purchase/orderSeen": "purchase_failed",
  "purchase/interrupted": "purchase_interrupted",
  "errorScreen/raised": "error_screen",
  "supervisor/sagaCrashed": "crash",
};

/** Lines that can matter: others aren't parsed, since a log can have many megabytes. */
const RELEVANT = new RegExp(`"(?:err|took)":|"type":"(?:crashed|${Object.keys(KINDS).join("|")})"`);

interface AnyLine {
  readonly kind: string;
  readonly origin: string;
  readonly type: string;
  readonly payload: unknown;
}

interface Refusal {
  readonly code?: string;
  readonly refusal?: { readonly code: string };
}

type Outcome = Omit<SessionOutcome, "count">;

function outcomeOf({ kind, origin, type, payload }: AnyLine): Outcome | undefined {
  switch (kind) {
    case "effect": {
      const answer = payload as EffectPayload;
      if (origin !== "api" || !("err" in answer)) return undefined;
      const { code, status = 0 } = answer.err;
      return { kind: status >= 400 && status < 500 ? "refused" : "error", code };
    }
    case "checkpoint":
      return type === "crashed" ? { kind: "crash" } : undefined;
    case "action": {
      const outcome = KINDS[type];
      if (type === "purchase/orderSeen" && (payload as { readonly status: string }).status !== "failed")
        return undefined;
      if (outcome !== "refused") return outcome && { kind: outcome };
      const { code, refusal } = payload as Refusal;
      const refusalCode = refusal?.code ?? code;
      return refusalCode === undefined ? { kind: outcome } : { kind: outcome, code: refusalCode };
    }
    default:
      return undefined;
  }
}

/** Control characters and halves of characters would make the worker refuse the report. */
const cut = (text: string): string => [...text.replace(/\p{C}/gu, "")].slice(0, SUMMARY_LIMITS.text).join("");

/** Counts outcomes: a refusal of the channel that the site repeats once, and a purchase that failed once. */
function createCounts() {
  const counts = new Map<string, SessionOutcome>();
  const failedPurchases = new Set<unknown>();
  let answered = "";
  return {
    add({ kind, code }: Outcome, line: AnyLine): void {
      const name = `${kind}:${code ?? ""}`;
      const isRepeated = line.kind === "action" && name === answered;
      answered = line.kind === "effect" ? name : "";
      const { key } = (line.payload ?? {}) as { readonly key?: string };
      if (isRepeated || (kind === "purchase_failed" && failedPurchases.has(key))) return;
      if (kind === "purchase_failed") failedPurchases.add(key);
      const count = Math.min((counts.get(name)?.count ?? 0) + 1, SUMMARY_LIMITS.count);
      if (counts.has(name) || counts.size < SUMMARY_LIMITS.outcomes)
        counts.set(name, { kind, ...(code === undefined ? {} : { code: cut(code) }), count });
    },
    all: () => [...counts.values()],
  };
}

/** Summarises a log's text. A line that isn't as this build writes it, or is cut off, counts for nothing. */
export function summaryOf(log: string): SessionSummary | undefined {
  const [first = "", ...lines] = log.split("\n");
  const header = headerOf(first);
  if (typeof header?.build !== "string" || typeof header.locale !== "string") return undefined;
  const counts = createCounts();
  let longest_wait_ms = 0;
  for (const text of lines) {
    if (!RELEVANT.test(text)) continue;
    try {
      const line = JSON.parse(text) as AnyLine;
      if (line.kind === "effect")
        longest_wait_ms = Math.max(longest_wait_ms, (line.payload as EffectPayload).took ?? 0);
      const outcome = outcomeOf(line);
      if (outcome) counts.add(outcome, line);
    } catch {}
  }
  longest_wait_ms = Math.min(longest_wait_ms, SUMMARY_LIMITS.wait_ms);
  return { build: cut(header.build), language: cut(header.locale), outcomes: counts.all(), longest_wait_ms };
}

function headerOf(text: string): { readonly build?: unknown; readonly locale?: unknown } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
