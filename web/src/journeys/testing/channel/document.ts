import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import openapi from "../../../../../docs/openapi.json";

// The API document (docs/openapi.json) as the judge of the fake channel: each answer must be one that the worker could
// give, field by field, and each request one that it accepts.

interface Schema {
  [name: string]: unknown;
}

const isNullable = ({ type, oneOf }: Schema): boolean => JSON.stringify(type ?? oneOf ?? "").includes('"null"');

/** Fields that the worker omits if they are false or zero. */
const OPTIONAL = /^is_|^(annual|clips|declined|errors|past_due|refunded_minor|visibility)$/;

/**
 * The strict schema of an answer: no unlisted fields, so that a renamed one fails here, and every listed field unless
 * it may be null (as `Resource` of contracts/resources.ts). Schemas that are combined into one object stay open.
 */
function strict(value: unknown, isPart = false): unknown {
  if (Array.isArray(value)) return value.map((item) => strict(item, isPart));
  if (typeof value !== "object" || value === null) return value;
  const schema = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, strict(inner, name === "allOf")]),
  ) as Schema;
  if (typeof schema.$ref === "string") schema.$ref = schema.$ref.replace("request#/", "answer#/");
  if (schema.type !== "object" || !("properties" in schema) || "additionalProperties" in schema || isPart)
    return schema;
  const properties = Object.entries(schema.properties as { [name: string]: Schema });
  const required = properties.flatMap(([name, one]) => (isNullable(one) || OPTIONAL.test(name) ? [] : [name]));
  return {
    ...schema,
    required: [...new Set([...required, ...((schema.required as string[]) ?? [])])],
    additionalProperties: false,
  };
}

type Side = "answer" | "request";
const named = JSON.parse(JSON.stringify(openapi).replaceAll('"#/', '"request#/')) as Schema;
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(named, "request");
ajv.addSchema(strict(named) as Schema, "answer");

const pointer = (...parts: string[]): string =>
  parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");

const validators = new Map<string, ValidateFunction | null>();

/** The validator of a part of the document; null if the document has none. */
function validatorOf(side: Side, ...parts: string[]): ValidateFunction | null {
  const $ref = `${side}#/${pointer(...parts)}`;
  let validate = validators.get($ref);
  if (validate === undefined) {
    let here: unknown = openapi;
    for (const part of parts) here = (here as Schema | undefined)?.[part];
    validate = here === undefined ? null : ajv.compile({ $ref });
    validators.set($ref, validate);
  }
  return validate;
}

const JSON_CONTENT = ["content", "application/json", "schema"];

function faultsIn(what: string, validate: ValidateFunction | null, value: unknown): string[] {
  if (validate === null) return [`${what} is not in the document`];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${what}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** The operations that the document lists, such as `GET /api/events/{id}`. */
export const operations: readonly string[] = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

const locate = (operation: string): [path: string, method: string] => {
  const [method = "", path = ""] = operation.split(" ");
  return [path, method.toLowerCase()];
};

/** An answer's violations of the document. */
export function answerFaults(operation: string, status: number, body: unknown): string[] {
  const [path, method] = locate(operation);
  const validate = validatorOf("answer", "paths", path, method, "responses", String(status), ...JSON_CONTENT);
  return faultsIn(`${operation} answered ${status}`, validate, body);
}

/** A request body's violations of the document. */
export function requestFaults(operation: string, body: unknown): string[] {
  const [path, method] = locate(operation);
  if (method !== "post") return [];
  return faultsIn(
    `${operation} was sent`,
    validatorOf("request", "paths", path, method, "requestBody", ...JSON_CONTENT),
    body,
  );
}
