// Objects and parameters by the types of npm `stripe`, from which schema.json is generated.
import { readFileSync } from "node:fs";
import Ajv from "ajv";

const schema = JSON.parse(readFileSync(new URL("schema.json", import.meta.url), "utf8"));
// The schema is the project's own, and many tests start a provider: validators are compiled on first use.
const options = { strict: false, allErrors: true, validateSchema: false, code: { optimize: false } };
const ajv = new Ajv(options);
const forms = new Ajv({ ...options, coerceTypes: true });
ajv.addSchema({ $id: "stripe", objects: schema.objects });

export const VERSION = schema.version;
const requests = new Map();

/** The validator of an operation's parameters; none for an operation that the product doesn't use. */
function requestOf(operation) {
  if (!(operation in schema.requests)) return;
  if (!requests.has(operation)) requests.set(operation, forms.compile(schema.requests[operation]));
  return requests.get(operation);
}

/** The operation of a request, with the id in its path: `["POST /v1/refunds/:id", "re_1"]`. */
export function operationOf(method, path) {
  if (`${method} ${path}` in schema.requests) return [`${method} ${path}`];
  const parts = path.split("/");
  const id = parts[3];
  parts[3] = ":id";
  return [`${method} ${parts.join("/")}`, id];
}

/** The faults of the parameters, which are converted to numbers and booleans by the types. */
export function faultOf(operation, parameters) {
  const validate = requestOf(operation);
  if (!validate) return `no such call: ${operation}`;
  return validate(parameters) ? undefined : forms.errorsText(validate.errors);
}

/** A value of a schema: nullable values are null, lists are empty. */
function sample(of) {
  if (of.$ref) return { id: "" };
  if (of.anyOf) return of.anyOf.some(({ type }) => type === "null") ? null : sample(of.anyOf[0]);
  if (of.enum) return of.enum[0];
  if (of.type === "object") {
    const fields = of.required ?? [];
    return Object.fromEntries(fields.map((name) => [name, sample(of.properties[name])]));
  }
  return { string: "", number: 0, boolean: false, array: [], null: null }[of.type];
}

/** A nullable part of an object in its non-null form: `part("payment_method", ["card"], {…})`. */
export function part(kind, path, changed) {
  const filled = (of) => of.anyOf?.find(({ type }) => type === "object") ?? of;
  const of = path.reduce((at, name) => filled(filled(at).properties[name]), schema.objects[kind]);
  return { ...sample(of), ...changed };
}

/** An object of this kind with every field that the types require. */
export function make(kind, changed) {
  return { ...sample(schema.objects[kind]), ...changed };
}

const templates = Object.fromEntries(Object.keys(schema.objects).map((kind) => [kind, make(kind, {})]));
const isPlain = (value) => value === null || typeof value !== "object";

/** An object without its default fields, as written to disk. */
export function packed(object) {
  const template = templates[object.object] ?? {};
  const changed = Object.entries(object).filter(([name, value]) => !(isPlain(value) && value === template[name]));
  return Object.fromEntries([...changed, ["object", object.object]]);
}

/** Restores a packed object. */
export function unpacked(object) {
  return { ...structuredClone(templates[object.object] ?? {}), ...object };
}

const fields = Object.fromEntries(
  Object.entries(schema.objects).map(([kind, of]) => [kind, Object.keys(of.properties)]),
);

/** An object as answered: the types' fields, without the provider's own. */
export function presented(object) {
  if (Array.isArray(object)) return object.map(presented);
  if (object === null || typeof object !== "object") return object;
  const allowed = fields[object.object];
  const names = allowed ? allowed.filter((name) => object[name] !== undefined) : Object.keys(object);
  return Object.fromEntries(names.map((name) => [name, presented(object[name])]));
}

/** Throws if an object doesn't match the types. */
export function check(object) {
  const validate = ajv.getSchema(`stripe#/objects/${object.object}`);
  if (object.object === "list") return object.data.forEach(check);
  if (object.deleted === true) return;
  if (!validate) throw new Error(`unknown type ${object.object}`);
  if (!validate(object)) throw new Error(`${object.object}: ${ajv.errorsText(validate.errors)}`);
}

/** Parses `a[b][0]=c` into objects and lists. */
export function parse(text) {
  const root = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll("]", "").split("[");
    let at = root;
    path.forEach((part, index) => {
      const key = part === "" ? at.length : part;
      if (index === path.length - 1) {
        at[key] = value;
        return;
      }
      const next = path[index + 1];
      at[key] ??= next === "" || /^\d+$/.test(next) ? [] : {};
      at = at[key];
    });
  }
  return root;
}
