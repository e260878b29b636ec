// Pure folders take time, randomness, ids and the world through ports, so that a replay gives the same result.

import { isPartlyAmbient, localMember, mayName, mayUse, namesItsZone } from "../globals.js";
import { memberName, spelled } from "../imports.js";
import { folderOf, isTest, pure } from "../rooms.js";

/** Whether an argument may name a locale; without one the machine's applies. */
const namesLocale = (args) =>
  args !== undefined &&
  args.type !== "SpreadElement" &&
  args.name !== "undefined" &&
  !(args.type === "ArrayExpression" && args.elements.length === 0);

/** The fault of a call that depends on the machine's zone or locale with these arguments; null if it doesn't. */
const byTheMachine = {
  zone(name, args) {
    if (args.length > 1) return `${name} from parts, in the machine's zone,`;
    const text = spelled(args[0]);
    return text !== null && !namesItsZone(text) ? `${name} of a text without a zone` : null;
  },
  locale: (name, [args]) => (namesLocale(args) ? null : `${name} without a locale`),
};

/** Whether a value is converted to text on the spot. */
function isConvertedToText(node) {
  const { parent } = node;
  if (parent.type === "TemplateLiteral") return true;
  if (parent.type === "MemberExpression") return parent.object === node && memberName(parent) === "toString";
  return parent.type === "CallExpression" && parent.callee.name === "String";
}

/** Reports the use of a member of a partly ambient object, which depends on the arguments of a call. */
function memberFault(name, member, node) {
  const whole = `${name}.${member ?? "[…]"}`;
  if (!mayUse(name, member)) return whole;
  const faultOfCall = name === "Intl" ? byTheMachine.locale : whole === "Date.parse" ? byTheMachine.zone : null;
  if (faultOfCall === null || node.parent.type === "TSQualifiedName") return null;
  return node.parent.callee === node ? faultOfCall(whole, node.parent.arguments) : `${whole} under another name`;
}

/** The fault in a reference to a partly ambient object, as text; null without one. */
function faultOf(name, id) {
  const parent = id.parent;
  if (parent.type === "MemberExpression" && parent.object === id) {
    return memberFault(name, memberName(parent), parent);
  }
  if (parent.type === "BinaryExpression" && parent.operator === "instanceof") return null;
  if (parent.type === "TSTypeQuery" || parent.type === "TSQualifiedName") return null;
  if (name === "Date" && parent.callee === id) {
    const [moment] = parent.arguments;
    if (parent.type === "CallExpression") return "Date()";
    if (!moment || moment.type === "SpreadElement") return "new Date()";
    return (
      byTheMachine.zone("new Date()", parent.arguments) ?? (isConvertedToText(parent) ? "new Date() as text" : null)
    );
  }
  return `${name} under another name`;
}

export const ambient = {
  create(context) {
    const folder = folderOf(context.filename);
    if (!pure.has(folder) || isTest(context.filename)) return {};
    const refuse = (node, what) =>
      context.report({
        node,
        message: `${what} is ambient: ${folder} reaches time, randomness and the world through ports, so that a replay gives the same result.`,
      });
    const refuseDeclared = (node) => {
      for (const { id } of node.declarations ?? [node])
        if (node.declare && !mayName(folder, id.name)) refuse(id, id.name);
    };
    return {
      "Program:exit"() {
        const { through, variables } = context.sourceCode.scopeManager.globalScope;
        const builtIn = variables.filter(({ defs }) => defs.length === 0).flatMap(({ references }) => references);
        for (const { identifier, isTypeReference, isValueReference } of [...through, ...builtIn]) {
          if (isTypeReference && !isValueReference) continue;
          const { name } = identifier;
          const fault = mayName(folder, name) ? isPartlyAmbient(name) && faultOf(name, identifier) : name;
          if (fault) refuse(identifier, fault);
        }
      },
      MemberExpression(node) {
        const member = memberName(node);
        if (member === "constructor") refuse(node, "A constructor reached through its instance");
        if (member !== null && localMember.test(member)) refuse(node, `${member}, in the machine's locale,`);
      },
      MetaProperty: (node) => node.meta.name === "import" && refuse(node, "import.meta"),
      VariableDeclaration: refuseDeclared,
      TSDeclareFunction: refuseDeclared,
      ClassDeclaration: refuseDeclared,
      TSModuleDeclaration: refuseDeclared,
    };
  },
};
