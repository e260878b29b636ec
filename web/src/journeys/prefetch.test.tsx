// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

// A page that has loaded nothing yet.
beforeEach(() => void vi.resetModules());
afterEach(cleanup);

/** Opens the page and returns whether it ever showed a loading state. */
async function showsLoading(path: string): Promise<boolean> {
  let waited = false;
  const watch = new MutationObserver(() => {
    waited ||= document.querySelector(".loader") !== null;
  });
  watch.observe(document.body, { childList: true, subtree: true });
  const { showPage } = await import("./testing/page");
  await showPage(path);
  await screen.findByRole("heading", { level: 1 });
  watch.disconnect();
  return waited;
}

// The second screen is prefetched; the first shows that this test can detect loading.
it("a page with a prefetched screen starts with it, in that screen's language (FAST-8)", async () => {
  expect(await showsLoading("/login")).toBe(true);
  cleanup();
  const { screenAhead } = await import("../screens/routes");
  await screenAhead("/registration")();
  expect(await showsLoading("/registration")).toBe(false);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Register");
});

it("the channel's own pages and unknown ones have nothing to prefetch", async () => {
  const { screenAhead } = await import("../screens/routes");
  for (const path of ["/", "/season-guide", "/nowhere"])
    await expect(screenAhead(path)(), path).resolves.toBeUndefined();
});
