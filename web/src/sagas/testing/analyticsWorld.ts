import type { AnalyticsItem } from "../../contracts/outbox";
import type { Settings } from "../../contracts/resources";
import { type AnalyticsDevice, analyticsActions } from "../../slices/analytics";
import { type Site, siteActions } from "../../slices/site";
import { aBootstrap, settings } from "./resources";
import { openViewerWorld, type Script, type TestWorld } from "./world";

export const device: AnalyticsDevice = {
  device_type: "desktop",
  user_agent: "Test/1.0",
  resolution: "1280x720",
  origin_url: "http://northfield.test",
  do_not_track: false,
};

export const site: Site = {
  channel: "northfield",
  language: "en",
  app_version: "0.1.0",
  referrer: "https://news.example",
};

export const CONTAINER = "GTM-TEST1";
export const tagged = (parts: Partial<Settings> = {}) =>
  aBootstrap({ settings: settings({ "google-analytics": CONTAINER, ...parts }) });

export function withoutSetting(name: "yare-analytics" | "google-analytics") {
  const { [name]: _, ...rest } = settings({ "google-analytics": CONTAINER });
  return aBootstrap({ settings: rest });
}

/** A page that records its viewer's analytics. */
export async function measured(script: Script = {}, parts: Partial<AnalyticsDevice> = {}): Promise<TestWorld> {
  const world = await openViewerWorld({ "api.getBootstrap": () => tagged(), ...script });
  world.input("ui", siteActions.opened(site));
  world.input("ui", analyticsActions.deviceKnown({ ...device, ...parts }));
  await world.pass();
  return world;
}

/** The events recorded for the datalake, oldest first. */
export const recordedEvents = (world: TestWorld, path: string): AnalyticsItem["payload"]["body"][] =>
  world
    .calls("outbox.put")
    .flatMap(({ item }) => (item.kind === "analytics" && item.payload.path === path ? [item.payload.body] : []));
