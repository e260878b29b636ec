// @vitest-environment jsdom
import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { describe, expect, it } from "vitest";
import Prose from "./Prose";

const show = (text: string) =>
  render(
    <MemoryRouter>
      <Prose text={text} />
    </MemoryRouter>,
  );

describe("a channel's text", () => {
  it("shows HTML as text and drops addresses that run something", () => {
    const { container } = show(
      '<img src=x onerror="alert(1)"> and [press](javascript:alert(1))\n\n<script>alert(1)</script>',
    );
    expect(container.querySelector("img, script, [onerror]")).toBeNull();
    expect(container.querySelector("a")?.getAttribute("href") ?? "").not.toContain("javascript");
    expect(container.textContent).toContain("press");
  });

  it("puts its headings below the page's own", () => {
    show("# Who we are\n\nText.");
    expect(screen.getByRole("heading", { level: 2 }).textContent).toBe("Who we are");
  });
});
