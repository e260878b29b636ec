// @vitest-environment jsdom
import { act, renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { fetched, pageAppeared, useMoving, watchParts } from "./lazyWithRetry";

const never = new Promise<never>(() => undefined);

it("shows progress from the press until the page appears, also if another press takes it back (CALL-14)", async () => {
  const { result } = renderHook(useMoving);
  expect(result.current).toBe(false);
  act(() => void fetched(never));
  expect(result.current).toBe(true);
  act(pageAppeared);
  expect(result.current).toBe(false);
  await act(async () => fetched(Promise.resolve()));
  expect(result.current).toBe(false);
});

it("has the loads of parts watched (CALL-14)", async () => {
  const watched: Promise<unknown>[] = [];
  watchParts((loading) => void watched.push(loading));
  const load = Promise.resolve("part");
  expect(await fetched(load)).toBe("part");
  expect(watched).toEqual([load]);
});
