// Touchline's own lint rules, loaded by oxlint (web/.oxlintrc.json). Each is planted and caught in borders.test.ts.

import { arrows, isTest, pure, resolve, roomOf } from "./rooms.js";

const importsOf = (check) => ({
  ImportDeclaration: (node) => check(node, node.source.value, node.importKind === "type"),
  ExportNamedDeclaration: (node) => node.source && check(node, node.source.value, node.exportKind === "type"),
  ExportAllDeclaration: (node) => check(node, node.source.value, false),
  ImportExpression: (node) => node.source.type === "Literal" && check(node, node.source.value, false),
});

/** Imports run along the arrows of rooms.js. */
const borders = {
  create(context) {
    const room = roomOf(context.filename);
    if (!room || arrows[room] === "*" || isTest(context.filename)) return {};
    return importsOf((node, specifier) => {
      if (!specifier.startsWith(".")) return;
      const target = roomOf(resolve(context.filename, specifier));
      if (target && target !== room && !arrows[room].includes(target))
        context.report({ node, message: `${room} may not import ${target}: imports run one way (see lint/rooms.js).` });
    });
  },
};

const ambientMembers = {
  Date: ["now"],
  Math: ["random"],
  performance: ["now"],
  crypto: ["randomUUID", "getRandomValues"],
};
const ambientGlobals = [
  "window",
  "document",
  "navigator",
  "location",
  "localStorage",
  "sessionStorage",
  "indexedDB",
  "fetch",
  "setTimeout",
  "setInterval",
  "WebSocket",
  "XMLHttpRequest",
];

/** Pure rooms take time, randomness, ids and the world through ports. */
const ambient = {
  create(context) {
    const room = roomOf(context.filename);
    if (!room || !pure.has(room) || isTest(context.filename)) return {};
    return {
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.computed) return;
        if (ambientMembers[node.object.name]?.includes(node.property.name))
          context.report({
            node,
            message: `${node.object.name}.${node.property.name} is ambient: ${room} takes it through a port, so that a replay gives the same.`,
          });
      },
      NewExpression(node) {
        if (node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0)
          context.report({
            node,
            message: `new Date() reads the clock: ${room} takes the time through a port, so that a replay gives the same.`,
          });
      },
      Identifier(node) {
        const parent = node.parent;
        const called = ["CallExpression", "NewExpression"].includes(parent?.type) && parent.callee === node;
        const reached = parent?.type === "MemberExpression" && parent.object === node;
        if ((called || reached) && ambientGlobals.includes(node.name))
          context.report({
            node,
            message: `${node.name} is the browser's: ${room} reaches the world through ports alone.`,
          });
      },
    };
  },
};

const bannedEffects = [
  "delay",
  "throttle",
  "debounce",
  "retry",
  "putResolve",
  "eventChannel",
  "cps",
  "apply",
  "createAsyncThunk",
];

/** Effects that hold a promise or a timer of their own cannot be replayed (docs/event-log.md, rules 3 and 6). */
const replayable = {
  create(context) {
    const room = roomOf(context.filename);
    if ((room !== "sagas" && room !== "slices" && room !== "machines") || isTest(context.filename)) return {};
    return {
      ImportDeclaration(node) {
        if (!/^(typed-redux-saga|redux-saga|@reduxjs\/toolkit)/.test(node.source.value)) return;
        for (const s of node.specifiers) {
          if (s.type === "ImportSpecifier" && bannedEffects.includes(s.imported.name))
            context.report({ node: s, message: `${s.imported.name} cannot be replayed: use ask or sleep of ports.` });
          if (s.type !== "ImportSpecifier")
            context.report({
              node: s,
              message: "Import effects by their names: those that cannot be replayed are told by them.",
            });
        }
      },
      "Identifier[name='Promise']"(node) {
        if (!node.parent?.type.startsWith("TS"))
          context.report({ node, message: "A saga never touches a promise: use ask of ports." });
      },
      ":function"(node) {
        if (node.async) context.report({ node, message: `A saga never touches a promise: use ask of ports.` });
      },
      AwaitExpression(node) {
        context.report({ node, message: `A saga never touches a promise: use ask of ports.` });
      },
    };
  },
};

export default { meta: { name: "touchline" }, rules: { borders, ambient, replayable } };
