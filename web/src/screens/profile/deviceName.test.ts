import { describe, expect, it } from "vitest";
import { deviceName } from "./deviceName";

describe("the name of a device", () => {
  it.each([
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safa",
      "Chrome, Linux",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1",
      "Safari, iPhone",
    ],
    [
      "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/120.0 Mobile Safari/604.1",
      "Chrome, iPad",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
      "Edge, Windows",
    ],
    ["Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox, Android"],
    ["Mozilla/5.0 (Linux; Android 12; AFTKA) AppleWebKit/537.36 Chrome/130.0 Safari/537.36", "Chrome, Android TV"],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15",
      "Safari, Mac",
    ],
  ])("is what a viewer would call it: %s", (text, name) => {
    expect(deviceName(text)).toBe(name);
  });

  it("stays as it is where a device names itself, or nothing of it is known", () => {
    expect(deviceName("Living room")).toBe("Living room");
    expect(deviceName("Mozilla/9.0 (Unheard of)")).toBe("Mozilla/9.0 (Unheard of)");
  });
});
