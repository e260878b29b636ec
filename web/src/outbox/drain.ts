import type { AnalyticsIdentity, DrainReport, OutboxOutcome } from "../contracts/outbox";
import { PortError, retryAfterOf } from "../ports/error";
import { SupersededError } from "../storage/stateDatabase";
import { nextBatch, sendBatch } from "./analytics";
import type { Channel } from "./channel";
import { orderingKeyOf } from "./orderingKey";
import type { Queue, Waiting } from "./queue";
import type { RetryAfter } from "./retryAfter";
import { type SingleItem, sendItem } from "./send";

export interface DrainDeps {
  queue: Queue;
  channel: Channel;
  /** The server's requested wait. */
  retryAfter: RetryAfter;
  /** Unix milliseconds. */
  now(): number;
}

/** The reason why an item stays: `everything`: nothing can be sent now. */
interface Blocked {
  readonly everything: boolean;
  readonly retryAfterMs: number | null;
}

/** Failures that don't concern the item: it is sent when its user returns or the keys do. */
const isKeyFailure = ({ code, status, errors }: PortError): boolean =>
  code === "wrong_user" || status === 401 || errors.api_key !== undefined || errors.channel_key !== undefined;

/** The disk refused the result. The id makes resending safe, and the next item may find space that sent ones free. */
const NOT_STORED: Blocked = { everything: false, retryAfterMs: null };

function blockedBy(error: PortError): Blocked | null {
  if (isKeyFailure(error)) return { everything: false, retryAfterMs: null };
  if (!error.retryable) return null;
  const retryAfterMs = retryAfterOf(error);
  // Without a network, or while the server requests a wait, the next item would fail too.
  return { everything: error.status === undefined || error.status === 429 || retryAfterMs !== null, retryAfterMs };
}

class StorageFailure extends Error {
  override readonly name = "StorageFailure";
}

const storedOrThrow = (storing: Promise<void>): Promise<void> =>
  storing.catch((cause: unknown) => {
    throw cause instanceof SupersededError ? cause : new StorageFailure("the outbox could not store it", { cause });
  });

/** Sends one item; returns its outcome, or why it stays. */
async function sendEntry(entry: Waiting, { queue, channel }: DrainDeps): Promise<OutboxOutcome | Blocked> {
  const amend = (item: SingleItem) => storedOrThrow(queue.amend({ ...entry, item }));
  await queue.assertLeads();
  try {
    return { outcome: "done", answer: await sendItem(entry.item as SingleItem, channel, amend) };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return blockedBy(error) ?? { outcome: "dead", code: error.code, message: error.message };
  }
}

/** Sends one item and stores its outcome; null when done. */
async function settleItem(entry: Waiting, deps: DrainDeps): Promise<Blocked | null> {
  try {
    const result = await sendEntry(entry, deps);
    if (!("outcome" in result)) return result;
    await storedOrThrow(deps.queue.settle(entry, result, deps.now()));
    return null;
  } catch (error) {
    if (error instanceof StorageFailure) return NOT_STORED;
    throw error;
  }
}

/** The number of waiting items of the current user. Items of other users can't be sent by waiting. */
async function countVisible({ queue, channel }: DrainDeps): Promise<number> {
  const currentUserId = (await channel.userId()) ?? undefined;
  return (await queue.waiting()).filter(({ item }) => item.user_id === currentUserId).length;
}

/** Sends favourites and clips that can be sent now, each subject in order. Called by the leader, once at a time. */
export async function drainVisible(deps: DrainDeps): Promise<DrainReport> {
  const { queue, channel, retryAfter: asked } = deps;
  let retry_after_ms = await asked.read();
  if (retry_after_ms !== null) return { left: await countVisible(deps), retry_after_ms };
  const userId = (await channel.userId()) ?? undefined;
  const stuck = new Set<string>();
  for (const entry of await queue.waiting()) {
    const { item } = entry;
    const subject = orderingKeyOf(item);
    if (item.user_id !== userId || stuck.has(subject)) continue;
    const blocked = await settleItem(entry, deps);
    if (!blocked) continue;
    stuck.add(subject);
    retry_after_ms = blocked.retryAfterMs;
    if (blocked.everything) break;
  }
  if (retry_after_ms !== null) await asked.store(retry_after_ms);
  return { left: await countVisible(deps), retry_after_ms };
}

export interface AnalyticsDrainDeps extends DrainDeps {
  /** The current session; it may end between two batches. */
  session(): AnalyticsIdentity | null;
  /** Aborted when waiting analytics are discarded. */
  signal(): AbortSignal;
  /** These have left the outbox. */
  onSent(ids: readonly string[]): void;
  /** The server requests a wait until then, in Unix milliseconds. */
  onWait(until: number): void;
}

/** Sends waiting analytics in batches; without a session only counts go. Called by the leader, once at a time. */
export async function drainAnalytics(deps: AnalyticsDrainDeps): Promise<DrainReport> {
  const { queue, channel, retryAfter: asked } = deps;
  const countWaiting = async () => (await queue.analytics()).length;
  const wait = await asked.read();
  if (wait !== null) return { left: await countWaiting(), retry_after_ms: wait };
  // Determines whose address may be sent.
  await channel.userId();
  for (;;) {
    // Before the items are read: a refusal in between discards them.
    const signal = deps.signal();
    const sender = { emailOf: channel.emailOf, session: deps.session(), now: deps.now() };
    const batch = nextBatch(await queue.analytics(), sender);
    if (!batch) return { left: await countWaiting(), retry_after_ms: null };
    await queue.assertLeads();
    try {
      const { settled, again } = await sendBatch(batch.events, { channel, now: deps.now(), signal });
      const done = batch.items.filter(({ id }) => settled.has(id));
      await queue.removeAnalytics(done);
      deps.onSent(done.map(({ id }) => id));
      // If nothing was settled, the next round would be the same.
      if (again || settled.size === 0) return { left: await countWaiting(), retry_after_ms: null };
    } catch (error) {
      // Waiting events are being discarded. Counts go with the refusal's own.
      if (signal.aborted) return { left: 0, retry_after_ms: null };
      if (!(error instanceof PortError)) throw error;
      const retry_after_ms = retryAfterOf(error);
      if (retry_after_ms !== null) deps.onWait(await asked.store(retry_after_ms));
      return { left: await countWaiting(), retry_after_ms };
    }
  }
}
