import { textHash } from "./hash";

/** A value that stands once in a log, under the hash of its JSON text; lines and other blobs refer to it. */
export interface Blob {
  readonly hash: string;
  /** Its JSON, in which the blobs that it holds are references. */
  readonly text: string;
  /** The blobs that its text refers to. */
  readonly refs: readonly string[];
}

/** A value as it stands in a line. */
export interface Written {
  readonly text: string;
  /** The blobs that the text refers to. */
  readonly refs: readonly string[];
  /** Those that the log does not hold yet, each before those that refer to it. */
  readonly blobs: readonly Blob[];
}

/** The field by which a record is a reference. */
export const BLOB = "$blob";
/** From so many characters on a list or a record is a blob. */
const BLOB_FROM = 256;

const reference = (hash: string): string => `{"${BLOB}":"${hash}"}`;

/**
 * Writes values as JSON does, but for the lists and records in them that are long: those become blobs. What was a blob
 * before costs nothing as long as it is the same value: answers and state are immutable.
 */
export function createBlobWriter(holds: (hash: string) => boolean): (value: unknown) => Written {
  const known = new WeakMap<object, string>();
  let fresh = new Map<string, Blob>();

  function text(value: unknown, refs: string[]): string | undefined {
    switch (typeof value) {
      case "string":
        return JSON.stringify(value);
      case "number":
        return Number.isFinite(value) ? String(value) : "null";
      case "boolean":
        return String(value);
      case "object":
        return value === null ? "null" : inner(value, refs);
      case "bigint":
        throw new TypeError("a BigInt is not JSON");
      default:
        return undefined;
    }
  }

  function inner(value: object, refs: string[]): string | undefined {
    const before = known.get(value);
    if (before !== undefined && (fresh.has(before) || holds(before))) {
      refs.push(before);
      return reference(before);
    }
    const own: string[] = [];
    const whole = plainText(value, own);
    if (whole === undefined || whole.length < BLOB_FROM) {
      refs.push(...own);
      return whole;
    }
    const hash = textHash(whole);
    known.set(value, hash);
    if (!fresh.has(hash) && !holds(hash)) fresh.set(hash, { hash, text: whole, refs: own });
    refs.push(hash);
    return reference(hash);
  }

  /** The text of a value that is no blob itself. */
  function plainText(value: object, refs: string[]): string | undefined {
    if (Array.isArray(value)) return `[${value.map((item) => text(item, refs) ?? "null").join(",")}]`;
    if ("toJSON" in value && typeof value.toJSON === "function") return text(value.toJSON(), refs);
    const record = value as Readonly<Record<string, unknown>>;
    let fields = "";
    let count = 0;
    for (const key of Object.keys(record)) {
      const field = text(record[key], refs);
      if (field === undefined) continue;
      fields += `${count === 0 ? "" : ","}${JSON.stringify(key)}:${field}`;
      count += 1;
    }
    // A record that looks like a reference stands within one.
    return count === 1 && BLOB in record ? `{"${BLOB}":{${fields}}}` : `{${fields}}`;
  }

  return (value) => {
    fresh = new Map();
    const refs: string[] = [];
    const written = typeof value === "object" && value !== null ? plainText(value, refs) : text(value, refs);
    return { text: written ?? "null", refs, blobs: [...fresh.values()] };
  };
}

/** A blob's line in a file; they stand behind the others. */
export const blobLine = (hash: string, text: string): string => `{"blob":"${hash}","value":${text}}`;
