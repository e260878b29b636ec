import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { channelProperties } from "./channelTheme";
import { contrast, mix, parseHex, READABLE, type Rgb, toHex } from "./colour";

const anyColour = fc.tuple(
  ...([0, 1, 2].map(() => fc.nat(255)) as [fc.Arbitrary<number>, fc.Arbitrary<number>, fc.Arbitrary<number>]),
);
const read = (properties: ReadonlyMap<string, string>, name: string): Rgb => {
  const colour = parseHex(properties.get(name) ?? "");
  if (!colour) throw new Error(`${name} is missing`);
  return colour;
};

describe("a channel's theme", () => {
  it("gives every accent an ink that reads on it", () => {
    fc.assert(
      fc.property(anyColour, (accent) => {
        const properties = channelProperties({ accent: toHex(accent) });
        expect(contrast(read(properties, "--on-accent"), accent)).toBeGreaterThanOrEqual(READABLE);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it("bends the accent until it reads as text, on the body and on a panel", () => {
    for (const [accent, background, text] of [
      ["#ff6b2c", "#0c172a", "#f5f0e6"],
      ["#b6174a", "#f8f5ee", "#14251f"],
      ["#10182a", "#0c172a", "#f5f0e6"],
    ] as const) {
      const properties = channelProperties({ accent, "body-background": background, "body-text-color": text });
      const bent = read(properties, "--accent-text");
      const body = parseHex(background) as Rgb;
      expect(contrast(bent, body)).toBeGreaterThanOrEqual(READABLE);
      expect(contrast(bent, mix(body, parseHex(text) as Rgb, 0.1))).toBeGreaterThanOrEqual(READABLE);
    }
  });

  it("leaves an accent that already reads as it is", () => {
    const properties = channelProperties({
      accent: "#ff6b2c",
      "body-background": "#0c172a",
      "body-text-color": "#f5f0e6",
    });
    expect(properties.get("--accent-text")).toBe("#ff6b2c");
  });

  it("marks the current place in the header's ink where the accent would vanish", () => {
    const laurentides = { accent: "#b6174a", "header-background": "#12382f", "header-text-color": "#f7f2e6" };
    expect(channelProperties(laurentides).get("--bar-mark")).toBe("#f7f2e6");
    expect(channelProperties({ ...laurentides, accent: "#ff6b2c" }).get("--bar-mark")).toBe("#ff6b2c");
  });

  it("leaves out what is not a colour, so that nothing but a colour reaches the style", () => {
    expect(channelProperties({ accent: "red;} body{display:none", "body-background": "url(x)" }).size).toBe(0);
  });
});
