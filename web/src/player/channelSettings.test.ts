import { expect, it } from "vitest";
import { read } from "./channelSettings";

it("takes of the channel's file what is of its kind, and nothing else (SET-1)", () => {
  expect(read({ low_latency: false, start_level: 1, loader: "evil" })).toEqual({ low_latency: false, start_level: 1 });
  expect(read({ low_latency: "yes", start_level: 1.5 })).toEqual({});
  expect(read({ start_level: -2 })).toEqual({});
  expect(read(null)).toEqual({});
  expect(read([])).toEqual({});
});
