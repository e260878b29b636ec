import { describe, expect, it } from "vitest";
import contract from "../../../../fixtures/contracts/device-names.json";
import { deviceName } from "./deviceName";

describe("the name of a device", () => {
  it.each(contract.cases.map(({ user_agent, name }) => [user_agent, name] as const))(
    "is what a viewer would call it: %s",
    (text, name) => {
      expect(deviceName(text)).toBe(name);
    },
  );

  it("stays as it is where a device names itself, or nothing of it is known", () => {
    expect(deviceName("Living room")).toBe("Living room");
    expect(deviceName("Mozilla/9.0 (Unheard of)")).toBe("Mozilla/9.0 (Unheard of)");
  });
});
