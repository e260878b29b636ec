import type { AnalyticsIdentity, DrainReport, OutboxOutcome } from "../contracts/outbox";
import { PortError, waitAskedBy } from "../ports/error";
import { SupersededError } from "../storage/stateDatabase";
import { nextBatch, sendBatch } from "./analytics";
import type { Channel } from "./channel";
import { orderingKeyOf } from "./orderingKey";
import type { Queue, Waiting } from "./queue";
import type { RetryAfter } from "./retryAfter";
import { type SingleItem, sendItem } from "./send";

export interface DrainParts {
  queue: Queue;
  channel: Channel;
  /** How long this sender was asked to wait. */
  asked: RetryAfter;
  /** Unix milliseconds. */
  now(): number;
}

/** Why an item stays: it may go later, or nothing can go now. */
interface Held {
  readonly everything: boolean;
  readonly retryAfterMs: number | null;
}

/** Failures that say nothing of the item itself: it goes when its user is back, or the keys are. */
const isOfTheKey = ({ code, status, errors }: PortError): boolean =>
  code === "wrong_user" || status === 401 || errors.api_key !== undefined || errors.channel_key !== undefined;

/** The disk took no word of it. Its id lets it be sent again, and the next item may find room: sent ones make some. */
const NOT_KEPT: Held = { everything: false, retryAfterMs: null };

function held(error: PortError): Held | null {
  if (isOfTheKey(error)) return { everything: false, retryAfterMs: null };
  if (!error.retryable) return null;
  const retryAfterMs = waitAskedBy(error);
  // Without a network, and while the server asks for quiet, the next item would only meet the same.
  return { everything: error.status === undefined || error.status === 429 || retryAfterMs !== null, retryAfterMs };
}

/** The queue could not store it. */
class NotKept extends Error {
  override readonly name = "NotKept";
}

const storedOrThrow = (storing: Promise<void>): Promise<void> =>
  storing.catch((cause: unknown) => {
    throw cause instanceof SupersededError ? cause : new NotKept("the outbox could not store it", { cause });
  });

/** Sends one item: how it ended, or why it stays. */
async function sendEntry(entry: Waiting, { queue, channel }: DrainParts): Promise<OutboxOutcome | Held> {
  const learned = (item: SingleItem) => storedOrThrow(queue.amend({ ...entry, item }));
  await queue.assertLeads();
  try {
    return { outcome: "done", answer: await sendItem(entry.item as SingleItem, channel, learned) };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return held(error) ?? { outcome: "dead", code: error.code, message: error.message };
  }
}

/** Sends one item, and keeps how it ended; null when it is done with. */
async function settleItem(entry: Waiting, parts: DrainParts): Promise<Held | null> {
  try {
    const end = await sendEntry(entry, parts);
    if (!("outcome" in end)) return end;
    await storedOrThrow(parts.queue.settle(entry, end, parts.now()));
    return null;
  } catch (error) {
    if (error instanceof NotKept) return NOT_KEPT;
    throw error;
  }
}

/** How much waits of whoever is logged in. For what waits for another user no later moment alone lets it go. */
async function seenLeft({ queue, channel }: DrainParts): Promise<number> {
  const holder = (await channel.userId()) ?? undefined;
  return (await queue.waiting()).filter(({ item }) => item.user_id === holder).length;
}

/** Sends what the viewer sees and can be sent now, each subject in its order. Who leads calls it, once at a time. */
export async function drainSeen(parts: DrainParts): Promise<DrainReport> {
  const { queue, channel, asked } = parts;
  let retry_after_ms = await asked.read();
  if (retry_after_ms !== null) return { left: await seenLeft(parts), retry_after_ms };
  const userId = (await channel.userId()) ?? undefined;
  const stuck = new Set<string>();
  for (const entry of await queue.waiting()) {
    const { item } = entry;
    const subject = orderingKeyOf(item);
    if (item.user_id !== userId || stuck.has(subject)) continue;
    const why = await settleItem(entry, parts);
    if (!why) continue;
    stuck.add(subject);
    retry_after_ms = why.retryAfterMs;
    if (why.everything) break;
  }
  if (retry_after_ms !== null) await asked.keep(retry_after_ms);
  return { left: await seenLeft(parts), retry_after_ms };
}

export interface AnalyticsDrainParts extends DrainParts {
  /** In which session they are sent now; it may end between two batches. */
  session(): AnalyticsIdentity | null;
  /** Aborted where the analytics that wait are dropped. */
  signal(): AbortSignal;
  /** These are out of the outbox. */
  left(ids: readonly string[]): void;
  /** The server asks for a wait until then, Unix milliseconds. */
  waits(until: number): void;
}

/** Sends the analytics that wait, in batches; without a session they go on waiting. Who leads calls it, once at a time. */
export async function drainAnalytics(parts: AnalyticsDrainParts): Promise<DrainReport> {
  const { queue, channel, asked } = parts;
  const left = async () => (await queue.analytics()).length;
  const wait = await asked.read();
  if (wait !== null) return { left: await left(), retry_after_ms: wait };
  // Whose address may be told.
  await channel.userId();
  for (;;) {
    const session = parts.session();
    const batch =
      session && nextBatch(await queue.analytics(), { emailOf: channel.emailOf, session, now: parts.now() });
    if (!batch) return { left: await left(), retry_after_ms: null };
    const signal = parts.signal();
    await queue.assertLeads();
    try {
      const { settled, again } = await sendBatch(batch.events, { channel, now: parts.now(), signal });
      const done = batch.items.filter(({ id }) => settled.has(id));
      await queue.removeAnalytics(done);
      parts.left(done.map(({ id }) => id));
      // Nothing settled means that the next round would be the same one.
      if (again || settled.size === 0) return { left: await left(), retry_after_ms: null };
    } catch (error) {
      // What waits is being dropped.
      if (signal.aborted) return { left: 0, retry_after_ms: null };
      if (!(error instanceof PortError)) throw error;
      const retry_after_ms = waitAskedBy(error);
      if (retry_after_ms !== null) parts.waits(await asked.keep(retry_after_ms));
      return { left: await left(), retry_after_ms };
    }
  }
}
