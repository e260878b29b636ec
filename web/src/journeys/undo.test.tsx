// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { aBootstrap } from "../sagas/testing/resources";
import { click, loggedIn, until } from "./testing/calls";
import { showPage } from "./testing/page";

afterEach(cleanup);

it("a restored favourite gets the focus again (FAV-3)", async () => {
  const page = await showPage("/watch/100", {
    "api.getBootstrap": () => aBootstrap(),
    ...loggedIn,
    "api.listFavourites": () => [{ id: 5, favoritable_id: 21, favoritable_type: "participant" }],
  });
  const label = "Remove from favourites: Rams";
  await until(page, () => void screen.getByLabelText(label));
  act(() => screen.getByLabelText(label).focus());
  click(label);
  const undo = screen.getByRole("button", { name: "Undo", hidden: true });
  act(() => undo.focus());
  fireEvent.click(undo);
  await page.pass();
  expect(document.activeElement?.getAttribute("aria-label")).toBe(label);
});
