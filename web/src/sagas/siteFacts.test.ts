import { expect, it } from "vitest";
import { preferencesActions } from "../slices/preferences";
import { siteActions } from "../slices/site";
import { siteFacts } from "./siteFacts";
import { measured, recordedEvents, site } from "./testing/analyticsWorld";
import { aBootstrap, settings } from "./testing/resources";
import { visits } from "./testing/visits";
import { openWorld } from "./testing/world";

const geo = (country_code: string) => ({ country: "", country_code, ip: "203.0.113.7", is_geo_blocked: false });
const FACTS = {
  channel: "northfield",
  analytics_key: settings()["yare-analytics"],
  country: "CA",
  language: "en",
  referrer: "https://news.example",
  app_version: "0.1.0",
};

it("every event has its channel, language, country and build, and its viewer's referrer (ANA-8)", async () => {
  const world = await measured({ "api.getGeo": () => geo("CA") });
  visits(world, "home", "/");
  await world.pass();
  expect(recordedEvents(world, "/datalake/event/")).toMatchObject([FACTS]);
  expect(recordedEvents(world, "/datalake/session/")).toMatchObject([{ channel: "northfield", app_version: "0.1.0" }]);
  world.expectReplays();
});

it("unknown facts are omitted", async () => {
  const { "yare-analytics": _, ...keyless } = settings();
  const world = await measured({ "api.getBootstrap": () => aBootstrap({ settings: keyless }) });
  world.input("ui", siteActions.opened({ ...site, channel: "", referrer: "" }));
  expect(siteFacts(world.state())).toEqual({ language: "en", app_version: "0.1.0" });
  expect(siteFacts((await openWorld()).state())).not.toHaveProperty("language");
});

it("the language is the viewer's choice, or the channel's if the site has it", async () => {
  const world = await measured();
  world.input("ui", siteActions.opened({ ...site, language: "fr-CA" }));
  expect(siteFacts(world.state())).toMatchObject({ language: "fr" });
  world.ui(preferencesActions.chose({ name: "language", value: "en" }));
  await world.pass();
  expect(siteFacts(world.state())).toMatchObject({ language: "en" });
});
