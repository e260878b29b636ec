// @vitest-environment jsdom
import { expect } from "vitest";
import { journey } from "../testing/journey";

journey(
  "menus lead to the schools' pages, and a link's tracking value is sent with the recorded events (NAV-4 to NAV-7, ROUTE-12a, ROUTE-12b, ANA-1a, ANA-1b, ANA-2b, ANA-2c, ANA-2f, ANA-8, ANA-9)",
  async (page) => {
    const events = () =>
      [...page.channel.state.analytics.values()] as { path: string; body: { [name: string]: unknown } }[];
    // Each page is recorded before it is left: the events of a page's last moment are sent with the next one.
    const untilRecorded = (what: string) => page.browser.until(() => expect(JSON.stringify(events())).toContain(what));
    const menu = page.within("header nav");
    page.channel.state.catalogue.settings["google-analytics"] = "GTM-TEST1";
    await page.goto("/?trk=autumn-20261115");
    await untilRecorded('"group":"home"');
    await menu.press("Packages");
    await page.within("main h1", "Packages").appears();
    await untilRecorded('"group":"catalogue"');
    await page.goto("/faq");
    await untilRecorded('"group":"faq"');
    await page.goto("/about");
    await untilRecorded('"group":"content"');
    // The tag manager's page views have the group as well.
    const { dataLayer = [] } = window as { dataLayer?: { event?: string; page_path?: string; page_group?: string }[] };
    const views = dataLayer.flatMap((entry) => (entry.event === "page_view" ? [entry] : []));
    expect(views).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ page_path: "/faq", page_group: "faq" }),
        expect.objectContaining({ page_path: "/about", page_group: "content" }),
      ]),
    );
    // A page that sells something names it.
    await page.goto("/watch/1");
    await untilRecorded('"product_type":"event"');
    expect(menu.all("[aria-current=page]").map(({ textContent }) => textContent)).toEqual(["Schedule"]);
    const all = JSON.stringify(events());
    for (const fact of [
      "/packages",
      "autumn-20261115",
      '"previous":"/"',
      '"product_id":"1"',
      '"group":"watch"',
      '"channel":"northfield"',
      '"analytics_key":"northfield-demo"',
      '"language":"en"',
    ])
      expect(all).toContain(fact);
    expect(all).toMatch(/"app_version":"\w/);
    // Each call by its body's fields; the site and the tracking value are in every one.
    const bodies = (path: string) =>
      events()
        .filter((event) => event.path === path)
        .map(({ body }) => body);
    const site = { origin_url: location.origin, trk: "autumn-20261115", profile: expect.any(String) };
    const [session] = bodies("/datalake/session/");
    expect(session).toMatchObject({ ...site, user_agent: navigator.userAgent, platform: "web" });
    expect(session).toMatchObject({
      device_type: "desktop",
      session: expect.any(String),
      resolution: `${screen.width}x${screen.height}`,
    });
    const visits = bodies("/datalake/event/");
    expect(visits.length).toBeGreaterThan(3);
    for (const body of visits)
      expect(body).toMatchObject({
        ...site,
        session_uuid: session?.session,
        event: "visit",
        extras: expect.any(Object),
      });
    // Three page loads, one session.
    expect(page.channel.requests("GET /datalake/hash/")).toHaveLength(1);
    await page.goto("/");
    await page.main.sees("Harbor City");
    const school = page.all("a[href]").find(({ textContent }) => textContent?.trim() === "Harbor City");
    expect(school?.getAttribute("href")).toMatch(/[?&](?:group|participant|school)=/);
  },
);
