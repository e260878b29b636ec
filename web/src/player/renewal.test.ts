// @vitest-environment jsdom
import { expect, it } from "vitest";
import { renewedStream } from "./renewal";

const at = (pass: string, file: string): string => new URL(`/media/a/s/e1/${pass}/${file}`, location.href).href;

it("every part is asked for under the newest address, by whichever it was named (MEDIA-5)", () => {
  const stream = renewedStream("/media/a/s/e1/one/master.m3u8");
  expect(stream.current(at("one", "v0/1.m4s"))).toBe(at("one", "v0/1.m4s"));
  stream.renew("/media/a/s/e1/two/master.m3u8");
  stream.renew("/media/a/s/e1/three/master.m3u8");
  for (const pass of ["one", "two", "three"])
    expect(stream.current(at(pass, "v0/1.m4s"))).toBe(at("three", "v0/1.m4s"));
  expect(stream.entry()).toBe("/media/a/s/e1/three/master.m3u8");
  expect(stream.current("https://elsewhere.test/1.m4s")).toBe("https://elsewhere.test/1.m4s");
  stream.renew("/media/a/s/e1/one/master.m3u8");
  expect(stream.current(at("three", "v0/1.m4s"))).toBe(at("one", "v0/1.m4s"));
});
