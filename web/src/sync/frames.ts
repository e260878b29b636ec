import type { ResourceStatus, Stream, Welcome } from "../contracts/sync";

/** A frame of the worker (sync protocol v1). */
export type ServerFrame =
  | { readonly t: "welcome"; readonly welcome: Welcome }
  | { readonly t: "status"; readonly status: ResourceStatus & { seq: number } }
  | { readonly t: "ping" }
  | { readonly t: "drain"; readonly window_ms: number }
  | { readonly t: "error"; readonly code: string; readonly message: string };

type Fields = { readonly [name: string]: unknown };

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): value is string => typeof value === "string";
const isStream = (value: unknown): value is Stream => value === "user" || value === "channel";
const isKind = (value: unknown): value is ResourceStatus["kind"] =>
  value === "order" || value === "clip" || value === "subscription" || value === "event";

const isResource = (it: Fields): boolean =>
  isStream(it.stream) && isKind(it.kind) && isCount(it.id) && isCount(it.version) && isFields(it.state);

const resource = ({ stream, kind, id, version, state }: Fields): ResourceStatus =>
  ({ stream, kind, id, version, state }) as ResourceStatus;

function welcomeOf(it: Fields): Welcome | null {
  const { epoch, user_seq, channel_seq, mode, snapshot, ping_ms } = it;
  if (!isText(epoch) || !isCount(channel_seq) || !isCount(ping_ms)) return null;
  if (user_seq !== undefined && !isCount(user_seq)) return null;
  const position = { epoch, channel_seq, ping_ms, ...(user_seq === undefined ? {} : { user_seq }) };
  if (mode === "resumed") return { ...position, mode };
  if (mode !== "snapshot" || !Array.isArray(snapshot)) return null;
  const isWhole = snapshot.every((item) => isFields(item) && isResource(item));
  return isWhole ? { ...position, mode, snapshot: snapshot.map(resource) } : null;
}

function frameOf(it: Fields): ServerFrame | null {
  switch (it.t) {
    case "welcome": {
      const welcome = welcomeOf(it);
      return welcome && { t: "welcome", welcome };
    }
    case "status":
      return isResource(it) && isCount(it.seq) ? { t: "status", status: { ...resource(it), seq: it.seq } } : null;
    case "ping":
      return { t: "ping" };
    case "drain":
      return isCount(it.window_ms) ? { t: "drain", window_ms: it.window_ms } : null;
    case "error":
      return isText(it.code) && isText(it.message) ? { t: "error", code: it.code, message: it.message } : null;
    default:
      return null;
  }
}

/** Parses a frame; null for anything else. */
export function readFrame(data: unknown): ServerFrame | null {
  if (!isText(data)) return null;
  try {
    const value: unknown = JSON.parse(data);
    return isFields(value) ? frameOf(value) : null;
  } catch {
    return null;
  }
}
