// docs/api.md: the OpenAPI document as a page to read.

const cell = (text) => (text ?? "").replaceAll("\n", " ").replaceAll("|", "\\|").trim();
const nameOf = (ref) => ref.split("/").at(-1);
const anchor = (name) => name.toLowerCase();

/** The page. */
export function apiPage(document) {
  const shapes = new Shapes(document.components.schemas);
  const byTag = new Map();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.responses === undefined) continue;
      const tag = operation.tags?.[0] ?? "Other";
      byTag.set(tag, [...(byTag.get(tag) ?? []), call(method.toUpperCase(), path, operation, shapes)]);
    }
  }
  const calls = [...byTag].map(([tag, texts]) => `## ${tag}\n\n${texts.join("\n")}`);
  return [
    "# The calls\n",
    "Generated from `openapi.json` by `npm --prefix web run codegen`. Do not edit.\n",
    `${document.info.description}\n`,
    "Every success is 200 with `data`, lists with `meta` besides; every failure has `message`, `code` and `errors`",
    "(see [Failure](#failure)). Any call can be answered 421 (no channel under this host), 429 (`Retry-After`), 500, 503.\n",
    ...calls,
    "## Shapes\n",
    shapes.text(),
  ].join("\n");
}

/** Answers that the page tells once, for all calls. */
const OF_ALL = new Set(["421", "429", "500", "503"]);

function call(method, path, operation, shapes) {
  const lines = [`### ${method} \`${path}\`\n`, `${(operation.summary ?? "").replaceAll("\n", " ")}\n`];
  if (operation.description) lines.push(`${operation.description.replaceAll("\n", " ")}\n`);
  const parameters = operation.parameters ?? [];
  if (parameters.length > 0) {
    lines.push("| parameter | in | type | |", "|---|---|---|---|");
    for (const { name, in: place, required, schema, description } of parameters) {
      const optional = required ? "" : ", optional";
      lines.push(`| \`${name}\` | ${place} | ${shapes.type(schema)}${optional} | ${cell(description)} |`);
    }
    lines.push("");
  }
  const body = operation.requestBody?.content?.["application/json"];
  if (body !== undefined) lines.push(`Body: ${shapes.type(body.schema)}\n`, ...example(body));
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (OF_ALL.has(status)) continue;
    const { schema, example } = answer.content?.["application/json"] ?? {};
    const shape = schema && status === "200" ? shapes.type(schema) : "";
    const code = example?.code ? `such as \`${example.code}\`` : "";
    lines.push(`- ${status}: ${[shape, cell(answer.description), code].filter(Boolean).join(", ")}`);
  }
  lines.push("", ...example(operation.responses["200"]?.content?.["application/json"]));
  return `${lines.join("\n")}\n`;
}

/** The example of a body or an answer, as a block. */
function example(content) {
  if (content?.example === undefined) return [];
  return ["```json", laidOut(content.example, ""), "```", ""];
}

/** The longest line of an example. */
const LINE = 110;

/** JSON, a line for what fits in one. */
function laidOut(value, indent) {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, " ");
  if (indent.length + line.length <= LINE || value === null || typeof value !== "object") return line;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Object.entries(value).map(([name, part]) => {
    const label = Array.isArray(value) ? "" : `${JSON.stringify(name)}: `;
    return `${indent}  ${label}${laidOut(part, `${indent}  `)}`;
  });
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/** The shapes that the page names. */
class Shapes {
  #schemas;

  constructor(schemas) {
    this.#schemas = schemas;
  }

  /** A type in words, with links. */
  type(schema = {}) {
    if (schema.$ref) return `[${nameOf(schema.$ref)}](#${anchor(nameOf(schema.$ref))})`;
    const several = schema.oneOf ?? schema.anyOf ?? schema.allOf;
    if (several) return several.map((one) => this.type(one)).join(schema.allOf ? " and " : " or ");
    if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
    if (schema.type === "array" || schema.items) return `list of ${this.type(schema.items)}`;
    return `${[schema.type ?? "anything"].flat().join(" or ")}${bounds(schema)}`;
  }

  text() {
    const names = Object.keys(this.#schemas).toSorted();
    return names.map((name) => this.#shape(name, this.#schemas[name])).join("\n");
  }

  #shape(name, schema) {
    const lines = [`### ${name}\n`];
    if (schema.description) lines.push(`${schema.description.replaceAll("\n", " ")}\n`);
    const fields = this.#fields(schema);
    if (fields.length === 0) {
      const values = (schema.oneOf ?? []).filter((value) => value.enum);
      if (values.length === 0) lines.push(`${this.type(schema)}\n`);
      for (const value of values) lines.push(`- ${this.type(value)}: ${cell(value.description)}`);
      if (values.length > 0) lines.push("");
    } else {
      lines.push("| field | type | |", "|---|---|---|", ...fields, "");
    }
    return lines.join("\n");
  }

  /** Rows of a table, also of those parts that have no name of their own. */
  #fields(schema) {
    const required = new Set(schema.required);
    const own = Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const optional = required.has(name) ? "" : ", optional";
      return `| \`${name}\` | ${this.type(field)}${optional} | ${cell(field.description)} |`;
    });
    const parts = (schema.allOf ?? []).flatMap((part) =>
      part.$ref ? [`| | the fields of ${this.type(part)} | |`] : this.#fields(part),
    );
    return [...parts, ...own];
  }
}

function bounds({ format, minLength, maxLength, minimum, maximum }) {
  const said = [];
  if (format && !format.startsWith("int") && format !== "double") said.push(format);
  if (maxLength !== undefined) said.push(`${minLength ?? 0} to ${maxLength} characters`);
  if (maximum !== undefined) said.push(`${minimum ?? ""} to ${maximum}`);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}
