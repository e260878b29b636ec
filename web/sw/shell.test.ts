import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fetchShell, serveShell } from "./shell";

const storedResponses = new Map<string, Response>();
beforeEach(() => {
  storedResponses.clear();
  const cache = {
    put: async (path: string, response: Response) => void storedResponses.set(path, response),
    match: async (path: string) => storedResponses.get(path)?.clone(),
  };
  vi.stubGlobal("caches", { open: async () => cache });
});
afterEach(() => vi.unstubAllGlobals());

const page = (body: string, status = 200) =>
  new Response(body, { status, headers: { "content-type": "text/html; charset=utf-8" } });
const SHELL = '<script type="application/json" id="touchline-config">{}</script>';

it("the shell is stored completely", async () => {
  await fetchShell(async () => page(SHELL));
  expect(await storedResponses.get("/")?.text()).toBe(SHELL);
});

it.each([
  ["a portal's page", () => page("<h1>Log in to the Wi-Fi</h1>")],
  ["a refusal", () => page(SHELL, 503)],
])("a build with %s in place of its shell is never served", async (_, answer) => {
  await expect(fetchShell(async () => answer())).rejects.toThrow("the shell could not be fetched");
  expect(storedResponses.size).toBe(0);
});

it.each([
  ["/watch_embed/12", "*"],
  ["/watch_embed/12/", "*"],
  ["/watch_embed/x", "'self'"],
  ["/watch_embed/12/more", "'self'"],
  ["/watch/12", "'self'"],
  ["/", "'self'"],
])("other sites may frame the stored shell where they may frame the worker's: %s", async (path, ancestors) => {
  const shell = page(SHELL);
  shell.headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'self'; script-src 'self'");
  storedResponses.set("/", shell);
  const served = await serveShell(new Request(`https://a.test${path}`));
  expect(served.headers.get("content-security-policy")).toBe(
    `default-src 'none'; frame-ancestors ${ancestors}; script-src 'self'`,
  );
  expect(served.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await served.text()).toBe(SHELL);
});

it("a link that names another channel redirects where the worker says, and otherwise opens this site's page (NAV-8)", async () => {
  storedResponses.set("/", page(SHELL));
  const away = { type: "opaqueredirect" } as Response;
  const requested: string[] = [];
  let answer: () => Promise<Response> = async () => away;
  vi.stubGlobal("fetch", (url: string) => {
    requested.push(url);
    return answer();
  });
  const open = (path: string) => serveShell(new Request(`https://a.test${path}`));
  expect(await open("/watch/12?trk=x&channel=other")).toBe(away);
  answer = async () => page("this channel's");
  expect(await (await open("/?channel=this")).text()).toBe(SHELL);
  answer = () => Promise.reject(new TypeError("no network"));
  expect(await (await open("/?channel=other")).text()).toBe(SHELL);
  const before = requested.length;
  await open("/watch/12?trk=channel");
  expect(requested).toHaveLength(before);
});
