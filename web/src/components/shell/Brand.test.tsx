// @vitest-environment jsdom
import { cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Brand } from "./Brand";

afterEach(cleanup);

it("shows the channel's initial where its mark does not load", () => {
  const brand = {
    name: "Northfield Sports Network",
    short: "Northfield",
    tagline: "Sports Network",
    logo: "/media/logo.svg",
  };
  const { container } = render(<Brand brand={brand} link={false} />);
  const mark = container.querySelector("img");
  expect(mark?.getAttribute("src")).toBe("/media/logo.svg");
  if (mark) fireEvent.error(mark);
  expect(container.querySelector("img")).toBeNull();
  expect(container.querySelector(".brand__mark")?.textContent).toBe("N");
});
