import { describe, expect, it } from "vitest";
import { referrerOf } from "./referrer";

const HERE = "https://northfield.example";

describe("the viewer's referrer (ANA-8)", () => {
  it.each([
    ["https://news.example/sports/2026?reader=ann%40example.com#top", "https://news.example"],
    ["http://ann:secret@news.example:8080/", "http://news.example:8080"],
    ["android-app://com.example.reader/", "android-app://com.example.reader"],
    // Another scheme or port is another site.
    ["http://northfield.example/", "http://northfield.example"],
  ])("is the origin alone of %s", (referrer, origin) => {
    expect(referrerOf(referrer, HERE)).toBe(origin);
  });

  it.each(["", "nonsense", "about:blank", `${HERE}/watch/7?trk=spring`, `https://${"a".repeat(400)}.example/`])(
    "is empty for %s",
    (referrer) => {
      expect(referrerOf(referrer, HERE)).toBe("");
    },
  );
});
