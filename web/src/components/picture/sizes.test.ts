import { expect, it } from "vitest";
import contract from "../../../../fixtures/contracts/picture-sizes.json";
import { srcSetOf } from "./sizes";

it.each(contract.cases)("names the sizes that the worker makes of $address (FAST-6)", ({ address, srcset }) => {
  expect(srcSetOf(address) ?? null).toBe(srcset);
});
