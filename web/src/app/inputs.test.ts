// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { describeDevice } from "./inputs";

describe("the device", () => {
  it("says where what is recorded is to stay here (ANA-3)", () => {
    expect(describeDevice(false)).toMatchObject({ device_type: "desktop", kept_here: true });
    expect(describeDevice(true)).not.toHaveProperty("kept_here");
  });
});
