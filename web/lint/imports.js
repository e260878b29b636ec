// Presents every form of import to a rule in the same way.

/** The text of a string or of a template without holes; null if it is computed. */
export function spelled(node) {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0].value.cooked;
  return null;
}

/** The name of `x.name`, `x["name"]` and `{ name }`, `{ "name": … }`; null if it is computed. */
export function memberName(node) {
  const key = node.type === "MemberExpression" ? node.property : node.key;
  return key.type === "Identifier" && !node.computed ? key.name : spelled(key);
}

const importedName = {
  ImportSpecifier: (specifier) => specifier.imported.name ?? specifier.imported.value,
  ExportSpecifier: (specifier) => specifier.local.name ?? specifier.local.value,
  ImportDefaultSpecifier: () => "default",
  ImportNamespaceSpecifier: () => "*",
};
const isType = (node) => node.importKind === "type" || node.exportKind === "type";
const importedNames = (node) =>
  isType(node) ? [] : node.specifiers.filter((s) => !isType(s)).map((s) => importedName[s.type](s));

const isImportMeta = (node) => node?.type === "MetaProperty" && node.meta.name === "import";

/**
 * A visitor that calls `check(node, specifier, names)` at each import: the names imported as values, "*" for all of
 * them. The specifier is null if it is computed.
 */
export function importsOf(check) {
  const whole = (node, source) => check(node, spelled(source), ["*"]);
  return {
    ImportDeclaration: (node) => check(node, node.source.value, importedNames(node)),
    ExportNamedDeclaration: (node) => node.source && check(node, node.source.value, importedNames(node)),
    ExportAllDeclaration: (node) => check(node, node.source.value, isType(node) ? [] : ["*"]),
    ImportExpression: (node) => whole(node, node.source),
    TSImportType: (node) => check(node, spelled(node.source), []),
    TSExternalModuleReference: (node) => whole(node, node.expression),
    CallExpression(node) {
      if (node.callee.type === "Identifier" && node.callee.name === "require") whole(node, node.arguments[0]);
      if (node.callee.type === "MemberExpression" && isImportMeta(node.callee.object)) whole(node, null);
    },
    NewExpression(node) {
      const [file, base] = node.arguments;
      const isModule = node.parent.type === "NewExpression" && base?.type === "MemberExpression";
      if (isModule && isImportMeta(base.object)) check(node, spelled(file), []);
    },
  };
}
