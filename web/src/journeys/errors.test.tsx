// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { PortError } from "../ports/world";
import { aBootstrap } from "../sagas/testing/resources";
import { refusing, type Script } from "../sagas/testing/world";
import { click, displayedText, list, loggedIn, pages, rows, says, until } from "./testing/calls";
import { showPage, type TestPage } from "./testing/page";
import { WORKER_MESSAGES } from "./testing/sentences";

afterEach(cleanup);

describe.each(rows.map((row) => ({ ...row, row })))("$path, calling $method", ({ row }) => {
  it("shows every message of the catalogue at its location, and continues (ERR-8, ERR-9)", async () => {
    const page = await showPage(row.path, { "api.getBootstrap": () => aBootstrap(), ...(row.script ?? loggedIn) });
    await screen.findByRole("main");
    const { begin, press, shown, answer, goesOn } = row;
    if (begin) await until(page, begin);
    for (const message of WORKER_MESSAGES) {
      page.world.script[row.method] = refusing(400, message, "refused");
      const text = shown?.(message) ?? displayedText(message);
      // A sentence common to several calls may be on the page already.
      const before = shown ? 0 : screen.queryAllByText(text).length;
      const callsBefore = page.world.calls(row.method).length;
      await until(page, () => press(page));
      await until(page, () => expect(screen.getAllByText(text).length).toBeGreaterThan(before));
      expect(page.world.calls(row.method)).toHaveLength(callsBefore + 1);
      // Notices expire.
      await page.pass(6_000);
    }
    Object.assign(page.world.script, { [row.method]: () => answer });
    await press(page);
    await until(page, () => goesOn(page));
    page.world.expectExpected();
  }, 60_000);
});

const refused = (status: number, message: string) => refusing(status, message, "refused");
const portal = (): never => {
  throw new PortError({ code: "unexpected_answer", message: "Something went wrong.", retryable: true });
};
const OFFLINE = "You’re offline. Try again when you’re back online.";
const APOLOGIES = "Apologies! Our service is currently experiencing technical difficulties.";

describe.each([
  ["api.buy", "/buy?type=event&event_id=100&single_event_package_id=500", "Pay ", loggedIn],
  [
    "api.startTrial",
    "/buy?type=trial&subscription_id=60",
    "Start free trial",
    { ...loggedIn, "api.listOrders": () => list([]) },
  ],
] as const)("an answer to %s that isn't an order", (method, path, button, script: Script) => {
  const press = async (answer: () => never): Promise<TestPage> => {
    const page = await showPage(path, { "api.getBootstrap": () => aBootstrap(), ...script, [method]: answer });
    await screen.findByRole("main");
    await until(page, () => click(button));
    return page;
  };

  it.each([401, 429])("with status %i shows its message, and the viewer may press again (ERR-1)", async (status) => {
    const page = await press(refused(status, "Not this time."));
    await until(page, () => says("Not this time."));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(page.world.state().purchase.at).toBe("rejected");
    await until(page, () => click(button));
    expect(page.world.calls(method)).toHaveLength(2);
  });

  it("with status 500 shows its message, blames no connection, promises no payment, and retries under the same key", async () => {
    const page = await press(refused(500, APOLOGIES));
    await until(page, () => says(APOLOGIES));
    says("We don’t know whether your order went through");
    expect(screen.queryByText(/back online/)).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Check now" }));
    await page.pass();
    const [first, second] = page.world.calls(method);
    expect(second).toEqual(first);
  });

  it("with status 429 after a 500 ends nothing: the first call may have made an order (PAY-4)", async () => {
    const page = await press(refused(500, APOLOGIES));
    await until(page, () => says(APOLOGIES));
    page.world.script[method] = refused(429, "Too many.");
    fireEvent.click(screen.getByRole("button", { name: "Check now" }));
    await until(page, () => says("Too many."));
    says("We don’t know whether your order went through");
  });

  it("from a captive portal counts as a dropped connection, and promises no payment", async () => {
    const page = await press(portal);
    await until(page, () => says("Connection lost"));
    expect(screen.queryByText(/still being processed/)).toBeNull();
  });
});

it("a clip that couldn't be deleted is reported once, and can be deleted again (CLIP-3, ERR-9)", async () => {
  let answer: (how: "no" | "yes") => void = () => undefined;
  const page = await showPage("/profile/clips", {
    "api.getBootstrap": () => aBootstrap(),
    ...loggedIn,
    "api.deleteClip": () =>
      new Promise((resolve, reject) => {
        answer = (how) =>
          how === "yes" ? resolve(null) : reject(new PortError({ code: "network", message: OFFLINE, retryable: true }));
      }),
  });
  const remove = async () => {
    await until(page, () => click("Delete clip Dunk"));
    click("Delete");
    await page.pass();
  };
  await remove();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.getByRole("button", { name: "Delete clip Dunk" }).getAttribute("aria-busy")).toBe("true");
  answer("no");
  await until(page, () => says(OFFLINE));
  expect(screen.getAllByText(OFFLINE)).toHaveLength(1);
  expect(screen.queryByText(/^Something went wrong/)).toBeNull();
  await remove();
  answer("yes");
  await until(page, () => says("No clips yet"));
  page.world.expectExpected();
});

it.each(pages)(
  "%s says that it couldn't read %s, and reads it on request (ERR-9)",
  async (path, method, answer, shows) => {
    const page = await showPage(path, {
      "api.getBootstrap": () => aBootstrap({ packages: [], subscriptions: [] }),
      ...loggedIn,
      [method]: refusing(400, "Something went wrong. Please try again or contact technical support."),
    });
    await until(page, () => says("Something went wrong. Please try again or contact technical support."));
    Object.assign(page.world.script, { [method]: () => answer });
    await until(page, () => click("Try again"));
    await until(page, () => says(shows));
    expect(screen.queryByText(/^Something went wrong/)).toBeNull();
    page.world.expectExpected();
  },
  60_000,
);
