// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { moveInRail, rememberPosition } from "./rails";

const rail = (name: string, count: number) => (
  <ul data-rail="" onKeyDown={moveInRail} onFocus={rememberPosition}>
    {Array.from({ length: count }, (_, index) => `${name}${index + 1}`).map((card) => (
      <li key={card} data-card="">
        <a href="/" data-stop="">
          {card}
        </a>
        <button type="button">{`act ${card}`}</button>
      </li>
    ))}
  </ul>
);

const focused = () => document.activeElement?.textContent;
const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key });

describe("arrow keys in rails", () => {
  beforeEach(() => {
    Element.prototype.scrollIntoView = vi.fn();
    render(
      <>
        {rail("a", 3)}
        <ul data-rail="" />
        {rail("b", 2)}
      </>,
    );
  });
  afterEach(cleanup);

  it("go along a rail and stop at its ends", () => {
    screen.getByText("a1").focus();
    press("ArrowLeft");
    expect(focused()).toBe("a1");
    press("ArrowRight");
    press("ArrowRight");
    press("ArrowRight");
    expect(focused()).toBe("a3");
  });

  it("go from rail to rail over an empty one, each remembering its place", () => {
    screen.getByText("a3").focus();
    press("ArrowDown");
    expect(focused()).toBe("b1");
    press("ArrowRight");
    press("ArrowUp");
    expect(focused()).toBe("a3");
    press("ArrowDown");
    expect(focused()).toBe("b2");
  });

  it("start from a card's button too", () => {
    screen.getByText("act a1").focus();
    press("ArrowRight");
    expect(focused()).toBe("a2");
  });

  it("remember the card whose button had the focus", () => {
    screen.getByText("act a2").focus();
    press("ArrowDown");
    press("ArrowUp");
    expect(focused()).toBe("a2");
  });

  it("leave keys with a modifier to the browser", () => {
    screen.getByText("a1").focus();
    fireEvent.keyDown(screen.getByText("a1"), { key: "ArrowRight", altKey: true });
    expect(focused()).toBe("a1");
  });
});
