// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { screenAhead } from "../screens/routes";
import { showPage } from "./testing/page";

afterEach(cleanup);

/** Opens the page and returns whether it ever showed a loading state. */
async function showsLoading(path: string): Promise<boolean> {
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
it("a page with a prefetched screen starts with it, in that screen's language (FAST-8)", async () => {
  expect(await showsLoading("/login")).toBe(true);
  cleanup();
  await screenAhead("/registration")();
  expect(await showsLoading("/registration")).toBe(false);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Register");
});

it("the channel's own pages and unknown ones have nothing to prefetch", async () => {
  for (const path of ["/", "/season-guide", "/nowhere"])
    await expect(screenAhead(path)(), path).resolves.toBeUndefined();
});
