// @vitest-environment jsdom
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { Phrase } from "./Phrase";

it("puts links where the sentence marks them, and leaves unknown marks as words", () => {
  const { container } = render(
    <Phrase
      text="I accept the <terms>terms</terms>, and <other>more</other>."
      parts={{ terms: (words) => <a href="/t">{words}</a> }}
    />,
  );
  expect(container.textContent).toBe("I accept the terms, and more.");
  expect(container.querySelector("a")?.textContent).toBe("terms");
});
