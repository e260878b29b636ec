import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "../support/journey";
import { register, VERA } from "../support/viewer";

const CHANNELS = join(import.meta.dirname, "../../../fixtures/channels");

/** Stands in for Google: whoever is sent to it comes back as somebody whose address it knows. */
const google = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://provider.test");
  if (pathname === "/authorize") {
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("code", "a-code");
    back.searchParams.set("state", searchParams.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
    return;
  }
  const who = { sub: "subject-1", email: VERA.email, email_verified: true, given_name: "Vera", family_name: "Quiet" };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(pathname === "/token" ? { access_token: "t", token_type: "bearer" } : who));
});
// Tests of a file may end in between: whoever runs the next one finds it listening, and nothing waits for it.
google.unref();

test.use({
  flags: async ({ browserName: _ }, use) => {
    if (!google.listening) await once(google.listen(0, "127.0.0.1"), "listening");
    const { port } = google.address() as AddressInfo;
    const folder = mkdtempSync(join(tmpdir(), "touchline-linked-"));
    cpSync(CHANNELS, join(folder, "channels"), { recursive: true });
    const file = join(folder, "channels/northfield/settings.json");
    const settings = JSON.parse(readFileSync(file, "utf8")) as { auth: object };
    writeFileSync(file, JSON.stringify({ ...settings, auth: { ...settings.auth, providers: ["google"] } }));
    const configuration = join(folder, "touchline.toml");
    writeFileSync(
      configuration,
      `[oauth.google]\nclient_id = "id"\nclient_secret = "secret"\nbase_url = "http://127.0.0.1:${port}"\n`,
    );
    await use(["--config", configuration, "--channels", join(folder, "channels")]);
    rmSync(folder, { recursive: true, force: true });
  },
});

test("a log-in through another site is listed with the devices and taken off the account (AUTH-9)", async ({
  page,
}) => {
  await register(page);
  // Another browser of hers, in which she logs in by Google: it knows the address to be hers.
  const other = await page
    .context()
    .browser()
    ?.newContext({ baseURL: new URL(page.url()).origin });
  const there = await other?.newPage();
  if (!there || !other) throw new Error("there is no second browser");
  await there.goto("/login");
  await there.getByRole("main").getByRole("button", { name: "Google" }).click();
  await expect(there).not.toHaveURL(/login/);
  await there.goto("/profile/sessions/add");
  const logins = there.getByRole("region", { name: "Log-ins through other sites" });
  await expect(logins).toContainText("Google");
  // The address was not confirmed before: whoever made the account has lost it to the one who holds the address.
  await page.goto("/profile");
  await expect(page).toHaveURL(/login/);

  await logins.getByRole("button", { name: "Remove Google" }).click();
  await expect(logins).toHaveCount(0);
  await there.reload();
  await expect(there.getByRole("heading", { name: "Linked devices" })).toBeVisible();
  await expect(logins).toHaveCount(0);
  await other.close();
});
