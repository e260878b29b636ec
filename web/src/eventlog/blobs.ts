import { textHash } from "./hash";

/** A value stored once per log under the hash of its JSON text; lines and other blobs refer to it. */
export interface Blob {
  readonly hash: string;
  /** Its JSON, with nested blobs as references. */
  readonly text: string;
  /** The blobs that its text refers to. */
  readonly refs: readonly string[];
}

/** A value as written in a line. */
export interface EncodedValue {
  readonly text: string;
  /** The blobs that the text refers to. */
  readonly refs: readonly string[];
  /** Blobs missing from the log, dependencies first. */
  readonly blobs: readonly Blob[];
}

/** The field that marks a record as a reference. */
export const BLOB = "$blob";
/** Minimum size of a blob, in characters. */
const BLOB_FROM = 256;

const reference = (hash: string): string => `{"${BLOB}":"${hash}"}`;

/**
 * Writes plain values as JSON, with long nested lists and records replaced by blobs. A blob that is written again costs
 * nothing if it is the same object, since answers and state are immutable.
 */
export interface BlobWriter {
  /** Serialises a part of the next value in advance, to spread the work. */
  prepare(part: object): void;
  /** Whether a part is a known blob or is prepared. */
  isKnownBlob(part: object): boolean;
  write(value: unknown): EncodedValue;
}

/** Creates a writer for a log that contains the blobs in `holds`. */
export function createBlobWriter(hasBlob: (hash: string) => boolean): BlobWriter {
  const hashes = new WeakMap<object, string>();
  let fresh = new Map<string, Blob>();
  // Prepared parts that are too short for a blob.
  let short = new Map<object, { readonly text: string | undefined; readonly refs: readonly string[] }>();

  /** undefined for a value that JSON omits from a record. */
  function text(value: unknown, refs: string[]): string | undefined {
    if (value === null || typeof value !== "object" || "toJSON" in value) return JSON.stringify(value);
    const before = hashes.get(value);
    if (before !== undefined && (fresh.has(before) || hasBlob(before))) {
      refs.push(before);
      return reference(before);
    }
    const prepared = short.get(value);
    if (prepared) {
      refs.push(...prepared.refs);
      return prepared.text;
    }
    const refsOfBlob: string[] = [];
    const whole = plainText(value, refsOfBlob);
    if (whole.length < BLOB_FROM) {
      refs.push(...refsOfBlob);
      return whole;
    }
    const hash = textHash(whole);
    hashes.set(value, hash);
    if (!hasBlob(hash)) fresh.set(hash, { hash, text: whole, refs: refsOfBlob });
    refs.push(hash);
    return reference(hash);
  }

  /** The text of a value that isn't a blob itself. */
  function plainText(value: object, refs: string[]): string {
    if (Array.isArray(value)) return `[${value.map((item) => text(item, refs) ?? "null")}]`;
    const fields: string[] = [];
    for (const [key, inner] of Object.entries(value)) {
      const field = text(inner, refs);
      if (field !== undefined) fields.push(`${JSON.stringify(key)}:${field}`);
    }
    const whole = `{${fields}}`;
    // A record that looks like a reference is wrapped in one.
    return fields.length === 1 && BLOB in value ? `{"${BLOB}":${whole}}` : whole;
  }

  return {
    prepare(part) {
      const refs: string[] = [];
      const written = text(part, refs);
      if (!hashes.has(part)) short.set(part, { text: written, refs });
    },
    isKnownBlob: (part) => hashes.has(part) || short.has(part),
    write(value) {
      const refs: string[] = [];
      const written = value !== null && typeof value === "object" ? plainText(value, refs) : JSON.stringify(value);
      const blobs = [...fresh.values()];
      fresh = new Map();
      short = new Map();
      return { text: written, refs, blobs };
    },
  };
}
