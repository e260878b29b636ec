import { expect, it } from "vitest";
import { isolated } from "./isolated";

it("only names with right-to-left characters are isolated (EVENT-9)", () => {
  for (const name of ["Northfield", "Zoë’s 1st XI", "東京", "", "$7.99"]) expect(isolated(name)).toBe(name);
  for (const name of ["מכבי תל אביב", "النصر", "FC אשדוד", "a\u202eb"])
    expect(isolated(name)).toBe(`\u2068${name}\u2069`);
});
