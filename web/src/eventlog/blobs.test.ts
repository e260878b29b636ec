import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blobLine, isBlobLine } from "./blobLine";
import { createBlobReader } from "./blobReader";
import { type Blob, createBlobWriter } from "./blobs";
import { textHash } from "./hash";
import { UnreadableLog } from "./parse";

/** The log of a writer's values in memory. */
function logOfBlobs() {
  const blobs = new Map<string, Blob>();
  const writer = createBlobWriter((hash) => blobs.has(hash));
  return {
    blobs,
    prepare: writer.prepare,
    write(value: unknown) {
      const written = writer.write(value);
      for (const blob of written.blobs) blobs.set(blob.hash, blob);
      return written;
    },
    lines: () => [...blobs.values()].map(({ hash, text }) => blobLine(hash, text)),
  };
}

const fault = (reason: string) => new UnreadableLog(7, reason);
const reader = (lines: readonly string[]) =>
  createBlobReader(lines, (index, reason) => new UnreadableLog(index, reason));
const read = (lines: readonly string[], text: string) => reader(lines).resolve(JSON.parse(text), fault);

const event = (id: number) => ({ id, name: `Event ${id}`, text: "x".repeat(300), teams: [{ id: 1 }, { id: 2 }] });
const seed = 20261123;

describe("a long value", () => {
  it("is read back as JSON would, whatever it is", () => {
    // Few keys, so that values repeat, nest and sometimes look like references.
    const key = fc.constantFrom("a", "$blob", "longer name of a field", "__proto__", "toString");
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(
          null,
          undefined,
          true,
          0,
          -0,
          Number.NaN,
          1.5e300,
          "",
          "é\u2028\ud800",
          "x".repeat(200),
          "0123456789abcdef",
        ),
        fc.array(tie("value"), { maxLength: 6 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
        const log = logOfBlobs();
        const texts = values.map((one) => log.write(one ?? null).text);
        for (const [index, text] of texts.entries()) {
          const found = read(log.lines(), text);
          expect(found.edited).toBeUndefined();
          expect(JSON.stringify(found.value)).toBe(JSON.stringify(values[index] ?? null));
        }
      }),
      { seed, numRuns: 400 },
    );
  });

  it("is in the log once: in an answer, in the action that carries it, in the state and in a copy", () => {
    const log = logOfBlobs();
    const answer = { data: Array.from({ length: 12 }, (_, index) => event(index + 1)) };
    const first = log.write({ ok: answer });
    expect(first.text.length).toBeLessThan(60);
    // The events and their list.
    expect(first.blobs).toHaveLength(13);
    const others = [
      { answer, at: 5 },
      { events: { 1: answer.data[0], 2: answer.data[1] } },
      { again: structuredClone(answer) },
    ].map((value) => log.write(value));
    expect(others.flatMap(({ blobs }) => blobs)).toEqual([]);
    expect(others.map(({ refs }) => refs.length)).toEqual([1, 2, 1]);
  });

  it("gives the same result in parts as at once", () => {
    const [log, parted] = [logOfBlobs(), logOfBlobs()];
    const answer = { data: Array.from({ length: 40 }, (_, index) => event(index + 1)) };
    const value = structuredClone({ ok: answer });
    for (const part of value.ok.data) parted.prepare(part);
    expect(parted.write(value)).toEqual(log.write({ ok: answer }));
  });

  it("is written again once the log no longer contains it", () => {
    const log = logOfBlobs();
    const answer = { data: [event(1), event(2)] };
    const { blobs } = log.write({ answer });
    log.blobs.delete(blobs[0]?.hash ?? "");
    // The list still refers to it.
    expect(log.write({ event: answer.data[0] }).blobs).toHaveLength(1);
    log.blobs.clear();
    expect(log.write({ answer }).blobs).toEqual(blobs);
  });

  it("is one object for its readers, however often it is referred to", () => {
    const log = logOfBlobs();
    const one = event(1);
    const { text } = log.write({ a: one, b: [one] });
    const { a, b } = read(log.lines(), text).value as { a: unknown; b: unknown[] };
    expect(a).toEqual(one);
    expect(b[0]).toBe(a);
  });
});

describe("a blob of a file", () => {
  const log = logOfBlobs();
  const { text } = log.write({ answer: { data: [event(1)] } });
  const lines = log.lines();

  it("that was changed is reported, also if another one refers to it", () => {
    const changed = lines.map((line) => line.replace("Event 1", "Event 7"));
    expect(read(changed, text)).toMatchObject({ value: { answer: { data: [{ name: "Event 7" }] } } });
    expect(read(changed, text).edited).toMatch(/^the blob [0-9a-f]{16} was changed$/);
  });

  it.each([
    ["is missing", () => lines.slice(1), "line 7: it refers to the blob"],
    ["is truncated", () => [...lines.slice(0, -1), (lines.at(-1) ?? "").slice(0, -9)], "malformed or truncated"],
    ["is not JSON", () => lines.map((line) => line.replace('"value":', '"value":!')), "is not JSON"],
  ])("that %s makes the log unreadable", (_, make, why) => {
    expect(() => read(make(), text)).toThrow(why);
  });

  it("that refers to itself, or expands beyond the limit, makes the log unreadable", () => {
    const self = '{"blob":"0000000000000000","value":{"a":{"$blob":"0000000000000000"}}}';
    expect(isBlobLine(self)).toBe(true);
    expect(() => read([self], '{"$blob":"0000000000000000"}')).toThrow("refers to itself");
    const bomb: string[] = [];
    let inner = `"${"x".repeat(400)}"`;
    for (let depth = 0; depth < 40; depth++) {
      const pair = `[${inner},${inner}]`;
      const hash = textHash(pair);
      bomb.push(blobLine(hash, pair));
      inner = `{"$blob":"${hash}"}`;
    }
    expect(() => read(bomb, inner)).toThrow("too large");
  });
});
