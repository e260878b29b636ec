// Imports from outside the tree that each folder may use. A new one is added here, where reviewers see it.

const store = ["createAction", "createSelector", "createSlice", "original", "combineReducers"];

/** Effects without promises or timers of their own: docs/event-log.md, rules 3 and 6. */
const effects = [
  ..."take put takeEvery takeLatest takeLeading all race call fork spawn join cancel cancelled".split(" "),
  ..."actionChannel select getContext".split(" "),
];

/** folder → package → the names it may import as values, "*" for all of them. Types of a listed package are free. */
export const packages = {
  lib: {},
  contracts: {},
  machines: {},
  navigation: {},
  ports: { react: ["createContext"], "redux-saga/effects": ["cps", "getContext"], "typed-redux-saga": [] },
  slices: { "@reduxjs/toolkit": store },
  sagas: { "redux-saga": ["buffers", "channel"], "typed-redux-saga": effects },
  eventlog: { "@reduxjs/toolkit": ["applyMiddleware", "legacy_createStore"], "redux-saga": ["default"] },
  api: {},
  storage: { "fake-indexeddb": "*", localforage: "*" },
  sync: {},
  outbox: {},
  player: { "hls.js": "*", react: "*" },
  theme: {},
  i18n: { react: "*" },
  components: { "markdown-to-jsx/react": "*", react: "*", "react-router": "*" },
  screens: {
    "@hookform/resolvers/zod": "*",
    "@stripe/stripe-js": "*",
    "@stripe/stripe-js/pure": "*",
    react: "*",
    "react-hook-form": "*",
    "react-redux": "*",
    "react-router": "*",
    "zod/mini": "*",
  },
  sw: {
    "workbox-core": "*",
    "workbox-expiration": "*",
    "workbox-precaching": "*",
    "workbox-routing": "*",
    "workbox-strategies": "*",
  },
  tabs: { "@reduxjs/toolkit": [] },
  session: { "@reduxjs/toolkit": [], "redux-persist": "*" },
  simulate: { "@reduxjs/toolkit": [], react: "*", "react-dom/client": "*", "react-redux": "*", "react-router": "*" },
  app: "*",
  journeys: {},
  replay: {
    "@jridgewell/trace-mapping": ["eachMapping", "TraceMap"],
    esbuild: ["build", "transform"],
    jsdom: ["JSDOM", "VirtualConsole"],
    "node:child_process": "*",
    "node:crypto": ["createHash"],
    "node:fs": "*",
    "node:fs/promises": "*",
    "node:inspector": ["Session"],
    "node:module": ["createRequire"],
    "node:os": "*",
    "node:path": "*",
    "node:url": "*",
    "node:v8": ["setFlagsFromString"],
    "node:vm": ["Script"],
    "node:util": "*",
    "node:zlib": "*",
    vite: ["parseSync"],
  },
};
