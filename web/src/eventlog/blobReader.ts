import { BLOB } from "./blobs";
import { MAX_DEPTH, TOO_DEEP } from "./depth";
import { textHash } from "./hash";

/** Limit of characters that a line's references expand to: several times a session's log in a browser. */
const MAX_CHARACTERS = 256 * 1024 * 1024;

const LINE = /^\{"blob":"([0-9a-f]{16})","value":(.*)\}$/s;

interface Read {
  readonly value: unknown;
  /** Characters after expansion. */
  readonly size: number;
  /** Nesting depth of lists and records. */
  readonly depth: number;
  readonly edited: string | undefined;
}

type Fault = (reason: string) => Error;

/** Resolves references in lines. */
export interface BlobReader {
  /** Expands the references in a value; equal references give the same object. Throws the errors of `fault`. */
  resolve(value: unknown, fault: Fault): { readonly value: unknown; readonly edited: string | undefined };
  /** The fault of an edited blob without references, if any. */
  editedUnread(): string | undefined;
}

/** Reads a file's blob lines. `faultAt` makes the error for the line with that index. */
export function createBlobReader(
  lines: readonly string[],
  faultAt: (index: number, reason: string) => Error,
): BlobReader {
  const texts = new Map<string, string>();
  // Every blob is checked, also unreferenced and duplicate ones.
  const editedHashes = new Set<string>();
  const notWritten = (hash: string): string => `the blob ${hash} was changed`;
  for (const [index, line] of lines.entries()) {
    const [, hash, text] = LINE.exec(line) ?? [];
    if (hash === undefined || text === undefined) throw faultAt(index, "a malformed or truncated blob");
    texts.set(hash, text);
    if (textHash(text) !== hash) editedHashes.add(hash);
  }
  const read = new Map<string, Read>();
  const under = new Set<string>();

  function blob(hash: string, fault: Fault): Read {
    const before = read.get(hash);
    if (before) return before;
    const text = texts.get(hash);
    if (text === undefined) throw fault(`it refers to the blob ${hash}, which is not in the file`);
    if (under.has(hash)) throw fault(`the blob ${hash} refers to itself`);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      throw fault(`the blob ${hash} is not JSON`);
    }
    under.add(hash);
    if (under.size > MAX_DEPTH) throw fault(TOO_DEEP);
    const inner = resolved(parsed, text.length, fault);
    under.delete(hash);
    const edited = editedHashes.has(hash) ? notWritten(hash) : inner.edited;
    const result = { ...inner, edited };
    read.set(hash, result);
    return result;
  }

  function resolved(value: unknown, characters: number, fault: Fault): Read {
    let size = characters;
    let depth = 0;
    let edited: string | undefined;

    function reach(level: number): void {
      depth = Math.max(depth, level);
      if (depth > MAX_DEPTH) throw fault(TOO_DEEP);
    }

    function walk(item: unknown, level: number): unknown {
      if (item === null || typeof item !== "object") return item;
      reach(level);
      if (Array.isArray(item)) return item.map((inner) => walk(inner, level + 1));
      const keys = Object.keys(item);
      const record = item as Record<string, unknown>;
      const reference = keys.length === 1 ? record[BLOB] : undefined;
      if (typeof reference === "string") {
        const found = blob(reference, fault);
        size += found.size;
        if (size > MAX_CHARACTERS) throw fault("what it refers to is too large");
        reach(level + found.depth);
        edited ??= found.edited;
        return found.value;
      }
      // A record that looks like a reference is wrapped in one.
      const plain = (reference ?? record) as Record<string, unknown>;
      return Object.fromEntries(Object.entries(plain).map(([key, field]) => [key, walk(field, level + 1)]));
    }

    return { value: walk(value, 1), size, depth, edited };
  }

  return {
    resolve: (value, fault) => resolved(value, 0, fault),
    editedUnread() {
      const unread = [...editedHashes].find((hash) => !read.has(hash));
      return unread === undefined ? undefined : notWritten(unread);
    },
  };
}
