// The fields marked `x-personal` or `x-secret` in the document that an answer can contain.

const PREFIX = "#/components/schemas/";

/** The schemas that a 200 answer can contain, by name. */
function answered(document) {
  const schemas = document.components?.schemas ?? {};
  const found = new Set();
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    const name = typeof node.$ref === "string" ? node.$ref.slice(PREFIX.length) : null;
    if (name === null) Object.values(node).forEach(visit);
    else if (!found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
  };
  for (const path of Object.values(document.paths ?? {})) {
    for (const call of Object.values(path)) visit(call?.responses?.["200"]?.content);
  }
  return [...found].map((name) => schemas[name]);
}

/** Names of fields with this mark, in order. A schema may be inlined, so each is walked completely. */
export function markedFields(document, mark) {
  const fields = new Set();
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    for (const [field, schema] of Object.entries(node.properties ?? {})) if (schema[mark]) fields.add(field);
    Object.values(node).forEach(visit);
  };
  answered(document).forEach(visit);
  return [...fields].sort();
}
