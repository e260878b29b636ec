import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPorts, type PortDeps } from "./ports";

const flushing = (flush: () => Promise<void>) => {
  const ports = createPorts({ flush } as PortDeps);
  return ports.call("storage.flush", {}, new AbortController().signal) as Promise<unknown>;
};
const ending = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const failure = { code: "not_stored", retryable: true, message: expect.stringMatching(/^Something went wrong/) };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("storing", () => {
  it("is answered once everything is stored, and leaves no timer", async () => {
    expect(await flushing(async () => undefined)).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("that fails has a message for the viewer, not about the disk", async () => {
    expect(await ending(flushing(() => Promise.reject(new DOMException("full", "QuotaExceededError"))))).toMatchObject(
      failure,
    );
  });

  it("that takes longer than ten seconds fails the same way: a purchase waits for it, and a form", async () => {
    let end: unknown = null;
    ending(flushing(() => new Promise(() => undefined))).then((error) => {
      end = error;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(end).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(end).toMatchObject(failure);
  });

  it("of an item that fails has the same message, and isn't announced", async () => {
    const put = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
    const ports = createPorts({ outbox: { put }, itemStored: () => expect.unreachable() } as unknown as PortDeps);
    const storing = ports.call("outbox.put", { item: {} }, new AbortController().signal) as Promise<unknown>;
    expect(await ending(storing)).toMatchObject(failure);
  });
});
