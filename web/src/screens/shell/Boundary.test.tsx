// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTexts } from "../../i18n/locale";
import { Boundary } from "./Boundary";

function Broken(): never {
  throw new Error("a screen that broke");
}

describe("the boundary of a page", () => {
  beforeEach(() => {
    startTexts();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });
  afterEach(() => {
    cleanup();
    vi.restoreAllMocks();
  });

  it("says that a screen broke, until the viewer is elsewhere", () => {
    const { rerender } = render(
      <Boundary place="a">
        <Broken />
      </Boundary>,
    );
    expect(screen.getByRole("alert")).toBeTruthy();
    rerender(
      <Boundary place="b">
        <p>another page</p>
      </Boundary>,
    );
    expect(screen.getByText("another page")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});
