import { cleanup } from "@testing-library/react";
import { afterAll, vi } from "vitest";

// Test files share a worker and its document: each leaves it empty.
afterAll(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  for (const part of [document.head, document.body]) part.replaceChildren();
  sessionStorage.clear();
  localStorage.clear();
  window.history.replaceState(null, "", "/");
});
