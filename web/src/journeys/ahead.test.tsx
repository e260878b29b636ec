// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { screenAhead } from "../screens/routes";
import { showPage } from "./testing/page";

afterEach(cleanup);

/** Opens the page and returns whether it ever showed a loading state. */
async function waitsFor(path: string): Promise<boolean> {
  let waited = false;
  const watch = new MutationObserver(() => {
    waited ||= document.querySelector(".loader") !== null;
  });
  watch.observe(document.body, { childList: true, subtree: true });
  await showPage(path);
  await screen.findByRole("heading", { level: 1 });
  watch.disconnect();
  return waited;
}

// The second screen is prefetched; the first shows that this test can detect loading.
it("a page begins with its screen where it was fetched ahead, in the words of that screen (FAST-8)", async () => {
  expect(await waitsFor("/login")).toBe(true);
  cleanup();
  await screenAhead("/registration")();
  expect(await waitsFor("/registration")).toBe(false);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Register");
});

it("a page of the channel's own, and one that nobody knows, have nothing to be fetched ahead", async () => {
  for (const path of ["/", "/season-guide", "/nowhere"])
    await expect(screenAhead(path)(), path).resolves.toBeUndefined();
});
