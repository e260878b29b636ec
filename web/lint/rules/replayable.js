// No promises in replayed code: their number of microtasks isn't specified (docs/event-log.md, rule 3). Only the event
// log's gate holds them.

import { memberName } from "../imports.js";
import { folderOf, isTest, pure } from "../rooms.js";

const settled = ["then", "catch", "finally"];

export const replayable = {
  create(context) {
    const folder = folderOf(context.filename);
    if (!pure.has(folder) || folder === "eventlog" || isTest(context.filename)) return {};
    const refuse = (node) =>
      context.report({ node, message: `${folder} may not use promises: use callPort or sleep of ports.` });
    return {
      ":function": (node) => node.async && refuse(node),
      AwaitExpression: refuse,
      ImportExpression: refuse,
      ForOfStatement: (node) => node.await && refuse(node),
      MemberExpression: (node) => settled.includes(memberName(node)) && refuse(node),
      "ObjectPattern > Property": (node) => settled.includes(memberName(node)) && refuse(node),
    };
  },
};
