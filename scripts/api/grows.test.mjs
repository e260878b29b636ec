import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf } from "./grows.mjs";

const document = () => ({
  paths: {
    "/clip": {
      post: {
        parameters: [{ name: "lang", in: "query" }],
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/NewClip" } } } },
        responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Clip" } } } } },
      },
    },
  },
  components: {
    schemas: {
      NewClip: { properties: { name: { type: "string" }, tags: { type: "array" } }, required: ["name"] },
      Clip: { properties: { id: {}, parts: { type: "array", items: { $ref: "#/components/schemas/Clip" } } } },
    },
  },
});

const changed = (change) => {
  const newer = document();
  change(newer.paths["/clip"].post, newer.components.schemas, newer.paths);
  return faultsOf(document(), newer);
};

test("a document may grow", () => {
  assert.deepEqual(
    changed((call, { NewClip, Clip }, paths) => {
      NewClip.properties.note = {};
      Clip.properties.url = {};
      call.parameters.push({ name: "page", in: "query" });
      paths["/clips"] = {};
    }),
    [],
  );
});

test("nothing that an earlier build sends or reads may go", () => {
  for (const [change, fault] of [
    [(_, __, paths) => delete paths["/clip"], "POST /clip is gone"],
    [(call) => call.parameters.pop(), "POST /clip: the parameter lang is gone"],
    [(call) => (call.parameters[0].required = true), "POST /clip: the parameter lang is required"],
    [(_, { NewClip }) => delete NewClip.properties.tags, "POST /clip body.tags is gone"],
    [(_, { NewClip }) => NewClip.required.push("tags"), "POST /clip body.tags is required"],
    [(_, { Clip }) => delete Clip.properties.id, "POST /clip 200.id is gone"],
    [(call) => (call.responses = { 201: {} }), "POST /clip: the response 200 is gone"],
  ])
    assert.ok(changed(change).includes(fault), `${fault}: ${changed(change)}`);
});
