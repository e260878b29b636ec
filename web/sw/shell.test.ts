import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fetchShell } from "./shell";

const kept = new Map<string, Response>();
beforeEach(() => {
  kept.clear();
  const cache = { put: async (path: string, response: Response) => void kept.set(path, response) };
  vi.stubGlobal("caches", { open: async () => cache });
});
afterEach(() => vi.unstubAllGlobals());

const page = (body: string, status = 200) =>
  new Response(body, { status, headers: { "content-type": "text/html; charset=utf-8" } });
const SHELL = '<script type="application/json" id="touchline-config">{}</script>';

it("the shell is kept whole", async () => {
  await fetchShell(async () => page(SHELL));
  expect(await kept.get("/")?.text()).toBe(SHELL);
});

it.each([
  ["a portal's page", () => page("<h1>Log in to the Wi-Fi</h1>")],
  ["a refusal", () => page(SHELL, 503)],
])("no build is served that was fetched with %s in the place of its shell", async (_, answer) => {
  await expect(fetchShell(async () => answer())).rejects.toThrow("the shell could not be fetched");
  expect(kept.size).toBe(0);
});
