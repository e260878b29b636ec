import { describe, expect, it } from "vitest";
import { personalFields } from "../contracts/generated/personal";
import { withoutPersonal } from "./personal";

describe("personal data", () => {
  it("is removed from answers at any depth, as the document marks it, and the keys with it", () => {
    const secrets = Object.fromEntries([...personalFields, "api_key"].map((name) => [name, "secret"]));
    expect(personalFields).toContain("email");
    expect(
      withoutPersonal([{ ...secrets, id: 1, order: { ...secrets, next_action: { ...secrets, type: "confirm" } } }]),
    ).toEqual([{ id: 1, order: { next_action: { type: "confirm" } } }]);
  });
});
