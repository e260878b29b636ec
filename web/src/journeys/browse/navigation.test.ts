// @vitest-environment jsdom
import { fireEvent } from "@testing-library/dom";
import { expect } from "vitest";
import { journey, type Page, VERA } from "../testing/journey";

/** The link of that name. */
const link = (page: Page, within: string, name: string): HTMLElement =>
  page
    .within(within)
    .all("a[href]")
    .find(({ textContent }) => textContent?.trim() === name) as HTMLElement;

journey(
  "a login leads back to the page with its query and params, also past other auth pages, and analytics name the page before (NAV-4a, NAV-4b, NAV-4c)",
  async (page) => {
    page.channel.state.people.add(VERA);
    await page.goto("/watch/25?t=0:12");
    await page.within("header").press(/^log in$/i);
    await page.isAt("/login");
    await page.main.press("Register");
    await page.isAt("/registration");
    await page.within("main h1", "Register").appears();
    await page.pass(1_000);
    await page.within("header").press(/^log in$/i);
    await page.isAt("/login");
    await page.within("main h1", "Log in").appears();
    await page.fill("Email", VERA.email);
    await page.fill(/^Password/, VERA.password);
    await page.main.press("Log in");
    await page.isAt(/^\/watch\/25\?t=0(?::|%3A)12$/);
    await page.pass(1_000);
    await page.goto("/faq");
    const visits = () =>
      [...page.channel.state.analytics.values()].flatMap(({ body }) => {
        const { event, extras } = body as { event?: string; extras?: { page: string; previous: string | null } };
        return event === "visit" ? [`${extras?.previous} ${extras?.page}`] : [];
      });
    await page.browser.until(() =>
      expect(visits()).toEqual(
        expect.arrayContaining([
          "/watch/25 /login",
          "/login /registration",
          "/registration /login",
          "/login /watch/25",
        ]),
      ),
    );
  },
);

journey(
  "links to videos name their page, and the search lists the menu's schools and teams (NAV-7a, NAV-7b)",
  async (page) => {
    const { menu } = page.channel.state.catalogue;
    menu.header.push({ name: "Coaches", url: "/vod_library?vod_id=2" });
    menu.groups = menu.groups.slice(0, 2);
    Object.assign(menu.participants[0] ?? {}, { alias: "" });
    await page.goto("/search");
    const hrefs = (section: string): (string | null)[] =>
      page
        .within("main section", new RegExp(`^${section}`))
        .all("li a")
        .map((one) => one.getAttribute("href"));
    await page.within("main section", /^Schools/).appears();
    const named = (kind: string, { alias, name }: { alias: string; name: string }) =>
      `/?${kind}=${encodeURIComponent(alias || name)}`;
    expect(hrefs("Schools")).toEqual(menu.groups.map((one) => named("group", one)));
    expect(hrefs("Teams")[0]).toBe(named("participant", menu.participants[0] ?? { alias: "", name: "" }));
    await page.within("header").press("Coaches");
    await page.isAt("/vod_library/2");
  },
);

journey("back and forward open pages without a page load (NAV-9a)", async (page) => {
  await page.goto("/faq");
  await page.within("main h1", "Questions and answers").appears();
  const root = document.getElementById("root");
  await page.within("header").press("Packages");
  await page.within("main h1", "Packages").appears();
  page.browser.back();
  await page.within("main h1", "Questions and answers").appears();
  window.history.forward();
  await page.within("main h1", "Packages").appears();
  expect(document.getElementById("root")).toBe(root);
});

journey("a press that wants another tab or host is left to the browser (NAV-9c)", async (page) => {
  page.channel.state.catalogue.pages.push({
    ...page.channel.state.catalogue.pages[0],
    id: 9,
    url: "/partners",
    name: "Partners",
    content: "[Our partner](https://partner.example/shop)",
  } as never);
  await page.goto("/partners");
  await page.main.sees("Our partner");
  const isIgnored = (element: HTMLElement, init: object): boolean => {
    let prevented = true;
    const look = (event: Event): void => {
      prevented = event.defaultPrevented;
      // jsdom opens nothing.
      event.preventDefault();
    };
    window.addEventListener("click", look, { once: true });
    fireEvent.click(element, init);
    return !prevented;
  };
  const packages = link(page, "header", "Packages");
  for (const key of ["ctrlKey", "metaKey", "shiftKey", "altKey"])
    expect(isIgnored(packages, { [key]: true }), key).toBe(true);
  expect(isIgnored(link(page, "main", "Our partner"), {})).toBe(true);
  await page.isAt("/partners");
  expect(isIgnored(packages, {})).toBe(false);
  await page.isAt("/packages");
});

journey("a device is linked by code only where the channel offers it (ROUTE-6b)", async (page) => {
  await page.signIn();
  await page.goto("/profile/sessions/add");
  await page.main.sees("Link device");
  await page.isAt("/profile/sessions/add");
  Object.assign(page.channel.state.catalogue.settings.auth as object, { remote_auth: 0 });
  await page.pass(120_000);
  await page.goto("/profile/sessions/add");
  await page.isAt("/profile");
});

journey("the current page stays until the next one can be rendered (NAV-9b)", async (page) => {
  await page.goto("/faq");
  await page.within("main h1", "Questions and answers").appears();
  await page.settles();
  const headings = new Set(["Questions and answers"]);
  const observer = new MutationObserver(() => {
    headings.add(
      page
        .all("main h1")
        .map(({ textContent }) => textContent)
        .join(),
    );
  });
  observer.observe(document, { subtree: true, childList: true });
  for (const [name, heading] of [
    ["Contacts", "Contacts"],
    ["Packages", "Packages"],
    ["Season guide", "Season guide"],
  ] as const) {
    await page.press(name);
    await page.within("main h1", heading).appears();
  }
  observer.disconnect();
  expect([...headings]).toEqual(["Questions and answers", "Contacts", "Packages", "Season guide"]);
});
