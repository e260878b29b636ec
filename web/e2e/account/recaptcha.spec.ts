import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Page } from "@playwright/test";
import { expect, test } from "../support/journey";

/** Google's `siteverify`: it accepts each token once, and classifies one as a robot's. */
const verified: string[] = [];
const google = createServer(async (request, response) => {
  const form = new URLSearchParams(await text(request));
  const token = form.get("response") ?? "";
  const isFresh = form.get("secret") === "server-secret" && !verified.includes(token);
  verified.push(token);
  const [action, , score] = token.split(" ");
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ success: isFresh, action, score: Number(score) }));
});
// The server stays open between a file's tests without keeping the process alive.
google.unref();

test.use({
  serviceWorkers: "block",
  flags: async ({ browserName: _ }, use) => {
    if (!google.listening) await once(google.listen(0, "127.0.0.1"), "listening");
    verified.length = 0;
    const { port } = google.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const folder = mkdtempSync(join(tmpdir(), "touchline-recaptcha-"));
    const configuration = join(folder, "touchline.toml");
    writeFileSync(configuration, `[recaptcha]\nsecret = "server-secret"\nsite_key = "site-key"\nurl = "${url}"\n`);
    await use(["--config", configuration]);
    rmSync(folder, { recursive: true, force: true });
  },
});

/**
 * Google's script as a page sees it: it loads more from another of Google's hosts, frames one, and requests from the
 * first.
 */
const SCRIPT = `
  let drawn = 0;
  const more = document.createElement("script");
  more.src = "https://www.gstatic.com/recaptcha/releases/1/recaptcha__en.js";
  const whole = new Promise((resolve) => { more.onload = resolve; });
  document.head.append(more);
  window.grecaptcha = {
    ready: (callback) => whole.then(callback),
    async execute(siteKey, { action }) {
      const frame = document.createElement("iframe");
      frame.src = "https://www.google.com/recaptcha/api2/anchor?k=" + siteKey;
      document.body.append(frame);
      await new Promise((resolve) => { frame.onload = resolve; });
      await fetch("https://www.google.com/recaptcha/api2/clr", { method: "POST", mode: "no-cors" });
      drawn += 1;
      return [action, drawn, window.asRobot ? 0.1 : 0.9].join(" ");
    },
  };
`;

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("Email").fill("demo@northfield.example");
  await page.getByLabel(/^Password/).fill("touchline");
  await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
}

test("a channel's forms send a reCAPTCHA token and load its script only there, or the worker reports the missing token (AUTH-8a, AUTH-8b, ERR-8)", async ({
  page,
}) => {
  await page.route("https://www.google.com/**", (route) => route.abort());
  await page.goto("/login");
  await logIn(page);
  await expect(page.getByText("recaptcha token required.")).toBeVisible();
  await page.unroute("https://www.google.com/**");

  const requested: string[] = [];
  await page.route(/^https:\/\/[^/]*\.(google|gstatic)\.com\//, (route) => {
    const { host, pathname } = new URL(route.request().url());
    requested.push(host + pathname);
    const contentType = pathname.endsWith(".js") ? "text/javascript" : "text/html";
    return route.fulfill({ contentType, body: pathname === "/recaptcha/api.js" ? SCRIPT : "" });
  });
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refused.push(message.text());
  });
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Schools" })).toBeVisible();
  await page.getByRole("link", { name: "Log in" }).first().waitFor();
  expect(requested).toEqual([]);

  await page.goto("/login");
  await expect(page.getByText(/^Protected by reCAPTCHA/)).toBeVisible();
  await page.evaluate(() => Object.assign(globalThis, { asRobot: true }));
  await logIn(page);
  await expect(page.getByText("recaptcha token invalid or robot.")).toBeVisible();
  await page.evaluate(() => Object.assign(globalThis, { asRobot: false }));
  await logIn(page);
  await expect(page).not.toHaveURL(/\/login/);
  expect(verified).toEqual(["login 1 0.1", "login 2 0.9"]);
  const once = ["www.google.com/recaptcha/api2/anchor", "www.google.com/recaptcha/api2/clr"];
  const loaded = ["www.google.com/recaptcha/api.js", "www.gstatic.com/recaptcha/releases/1/recaptcha__en.js"];
  expect(requested).toEqual([...loaded, ...once, ...once]);
  expect(refused).toEqual([]);
});
