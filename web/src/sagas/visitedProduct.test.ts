import { expect, it } from "vitest";
import { measured, recordedEvents } from "./testing/analyticsWorld";
import { visits } from "./testing/visits";

it.each([
  ["watch", "/watch/7", { id: "7" }, {}, ["event", "7"]],
  ["watchEmbed", "/watch_embed/7", { id: "7" }, {}, ["event", "7"]],
  ["vodItem", "/vod_library/5", { id: "5" }, {}, ["vod", "5"]],
  ["selectPackage", "/select-package/3", { id: "3" }, {}, ["package", "3"]],
  ["buy", "/buy", {}, { package_id: "3", participant_id: "4" }, ["package", "3"]],
  ["buy", "/buy", {}, { subscription_id: "2", type: "trial" }, ["subscription", "2"]],
  ["buy", "/buy", {}, { event_id: "7" }, ["event", "7"]],
] as const)("the visit of %s at %s names its product (ANA-9)", async (name, path, params, query, [type, id]) => {
  const world = await measured();
  visits(world, name, path, params, query);
  await world.pass();
  expect(recordedEvents(world, "/datalake/event/")).toMatchObject([{ extras: { product_type: type, product_id: id } }]);
});

it.each([
  ["home", "/", {}, {}],
  ["watchLibrary", "/watch_library/9", { id: "9" }, {}],
  ["buy", "/buy", {}, { event_id: "x" }],
])("the visit of %s at %s, which concerns no single product, names none (ANA-9)", async (name, path, params, query) => {
  const world = await measured();
  visits(world, name, path, params, query);
  await world.pass();
  const [{ extras } = {}] = recordedEvents(world, "/datalake/event/");
  expect(Object.keys(extras as object)).toEqual(["page", "name", "group", "previous"]);
});
