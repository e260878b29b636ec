// Pure rooms take time, randomness, ids and the world through ports, so that a replay gives the same.

import { isPartlyAmbient, localMember, mayName, mayUse } from "../globals.js";
import { memberName } from "../imports.js";
import { isTest, pure, roomOf } from "../rooms.js";

/** How a reference uses an object of which a part is ambient: the words that name the fault, or null. */
function faultOf(name, id) {
  const parent = id.parent;
  if (parent.type === "MemberExpression" && parent.object === id) {
    const member = memberName(parent);
    return mayUse(name, member) ? null : `${name}.${member ?? "[…]"}`;
  }
  if (parent.type === "BinaryExpression" && parent.operator === "instanceof") return null;
  if (parent.type === "TSTypeQuery" || parent.type === "TSQualifiedName") return null;
  if (name === "Date" && parent.callee === id) {
    const [moment] = parent.arguments;
    if (parent.type === "CallExpression") return "Date()";
    return moment && moment.type !== "SpreadElement" ? null : "new Date()";
  }
  return `${name} under another name`;
}

export const ambient = {
  create(context) {
    const room = roomOf(context.filename);
    if (!pure.has(room) || isTest(context.filename)) return {};
    const refuse = (node, what) =>
      context.report({
        node,
        message: `${what} is ambient: ${room} reaches time, chance and the world through ports, so that a replay gives the same.`,
      });
    const refuseDeclared = (node) => {
      for (const { id } of node.declarations ?? [node])
        if (node.declare && !mayName(room, id.name)) refuse(id, id.name);
    };
    return {
      "Program:exit"() {
        const { through, variables } = context.sourceCode.scopeManager.globalScope;
        const builtIn = variables.filter(({ defs }) => defs.length === 0).flatMap(({ references }) => references);
        for (const { identifier, isTypeReference, isValueReference } of [...through, ...builtIn]) {
          if (isTypeReference && !isValueReference) continue;
          const { name } = identifier;
          const fault = mayName(room, name) ? isPartlyAmbient(name) && faultOf(name, identifier) : name;
          if (fault) refuse(identifier, fault);
        }
      },
      MemberExpression(node) {
        const member = memberName(node);
        if (member === "constructor") refuse(node, "A constructor that is reached through its instance");
        if (member !== null && localMember.test(member)) refuse(node, `${member}, by the machine's locale,`);
      },
      MetaProperty: (node) => node.meta.name === "import" && refuse(node, "import.meta"),
      VariableDeclaration: refuseDeclared,
      TSDeclareFunction: refuseDeclared,
      ClassDeclaration: refuseDeclared,
      TSModuleDeclaration: refuseDeclared,
    };
  },
};
