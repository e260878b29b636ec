// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { HeroSlides } from "./HeroSlides";

const slides = ["One", "Two", "Three"].map((title, id) => ({ id, title, picture: null }));
const heading = () => screen.getByRole("heading", { level: 1 }).textContent;
/**
 * Ends the line's animation. React listens to one of two event names, depending on the styles that the document
 * supports; jsdom supports few.
 */
function full(): void {
  const line = document.querySelector(".hero__fill") as Element;
  for (const name of ["animationend", "webkitAnimationEnd"]) fireEvent(line, new Event(name, { bubbles: true }));
}

describe("the hero's slides", () => {
  afterEach(cleanup);

  it("hand over when the line is full, and begin again after the last", () => {
    render(<HeroSlides slides={slides} />);
    expect(heading()).toBe("One");
    full();
    full();
    expect(heading()).toBe("Three");
    full();
    expect(heading()).toBe("One");
  });

  it("stay on the slide that was chosen, and say which one is current", () => {
    const { container } = render(<HeroSlides slides={slides} />);
    fireEvent.click(screen.getByRole("button", { name: "Slide 2 of 3: Two" }));
    expect(heading()).toBe("Two");
    expect(screen.getByRole("button", { name: "Slide 2 of 3: Two" }).getAttribute("aria-current")).toBe("true");
    expect(container.querySelector(".hero--paused")).not.toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Play slides" }));
    expect(container.querySelector(".hero--paused")).toBeNull();
  });

  it("keep a slide in view when there are fewer than before", () => {
    const { rerender } = render(<HeroSlides slides={slides} />);
    fireEvent.click(screen.getByRole("button", { name: "Slide 3 of 3: Three" }));
    rerender(<HeroSlides slides={slides.slice(0, 2)} />);
    expect(heading()).toBe("Two");
  });
});
