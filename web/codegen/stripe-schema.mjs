// Generates e2e/support/stripe/schema.json: JSON Schema of the requests and objects of Stripe's API that the product
// uses, from the types of npm `stripe` (MIT), which come from Stripe's OpenAPI document. Run by hand when either
// changes:
// npm pack stripe@23.1.0 && tar xf stripe-23.1.0.tgz && node codegen/stripe-schema.mjs package
// A parameter missing from the types is an error. The test provider refuses anything not listed here.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const folder = resolve(process.argv[2] ?? "package");

/** Requests of the product by operation: the type of the parameters, and those in use. */
const REQUESTS = {
  "POST /v1/customers": ["Customers", "CustomerCreateParams", ["metadata"]],
  "DELETE /v1/customers/:id": ["Customers", "CustomerDeleteParams", []],
  "GET /v1/customers/:id/payment_methods": ["Customers", "CustomerListPaymentMethodsParams", ["type", "limit"]],
  "POST /v1/setup_intents": [
    "SetupIntents",
    "SetupIntentCreateParams",
    ["customer", "usage", "allowed_payment_method_types"],
  ],
  "POST /v1/payment_methods/:id/detach": ["PaymentMethods", "PaymentMethodDetachParams", []],
  "POST /v1/billing_portal/sessions": [
    "BillingPortal/Sessions",
    "BillingPortal.SessionCreateParams",
    ["customer", "return_url"],
  ],
  "POST /v1/payment_intents": [
    "PaymentIntents",
    "PaymentIntentCreateParams",
    [
      "amount",
      "currency",
      "customer",
      "payment_method",
      "allowed_payment_method_types",
      "setup_future_usage",
      "description",
      "metadata",
    ],
  ],
  "GET /v1/payment_intents": [
    "PaymentIntents",
    "PaymentIntentListParams",
    ["customer", "created", "limit", "starting_after"],
  ],
  "GET /v1/payment_intents/:id": ["PaymentIntents", "PaymentIntentRetrieveParams", ["expand"]],
  "POST /v1/payment_intents/:id/confirm": [
    "PaymentIntents",
    "PaymentIntentConfirmParams",
    ["payment_method", "use_stripe_sdk", "return_url", "expand"],
  ],
  "POST /v1/payment_intents/:id/cancel": ["PaymentIntents", "PaymentIntentCancelParams", []],
  "POST /v1/products": ["Products", "ProductCreateParams", ["id", "name"]],
  "POST /v1/coupons": [
    "Coupons",
    "CouponCreateParams",
    ["id", "duration", "amount_off", "currency", "max_redemptions"],
  ],
  "POST /v1/subscriptions": [
    "Subscriptions",
    "SubscriptionCreateParams",
    [
      "customer",
      "default_payment_method",
      "payment_behavior",
      "payment_settings",
      "items",
      "metadata",
      "trial_period_days",
      "discounts",
    ],
  ],
  "GET /v1/subscriptions": [
    "Subscriptions",
    "SubscriptionListParams",
    ["customer", "status", "limit", "starting_after"],
  ],
  "GET /v1/subscriptions/:id": ["Subscriptions", "SubscriptionRetrieveParams", []],
  "POST /v1/subscriptions/:id": [
    "Subscriptions",
    "SubscriptionUpdateParams",
    ["cancel_at", "cancel_at_period_end", "default_payment_method"],
  ],
  "DELETE /v1/subscriptions/:id": ["Subscriptions", "SubscriptionCancelParams", []],
  "GET /v1/invoices": ["Invoices", "InvoiceListParams", ["subscription", "limit", "starting_after", "expand"]],
  "POST /v1/invoices/:id/pay": ["Invoices", "InvoicePayParams", ["payment_method"]],
  "POST /v1/refunds": ["Refunds", "RefundCreateParams", ["payment_intent", "amount", "metadata"]],
  "GET /v1/refunds": ["Refunds", "RefundListParams", ["payment_intent", "created", "limit", "starting_after"]],
  "GET /v1/disputes": ["Disputes", "DisputeListParams", ["payment_intent", "created", "limit", "starting_after"]],
};

/** Objects in answers, by the module and name of their type. */
const OBJECTS = {
  customer: ["Customers", "Customer"],
  setup_intent: ["SetupIntents", "SetupIntent"],
  payment_method: ["PaymentMethods", "PaymentMethod"],
  payment_intent: ["PaymentIntents", "PaymentIntent"],
  charge: ["Charges", "Charge"],
  product: ["Products", "Product"],
  coupon: ["Coupons", "Coupon"],
  subscription: ["Subscriptions", "Subscription"],
  subscription_item: ["SubscriptionItems", "SubscriptionItem"],
  invoice: ["Invoices", "Invoice"],
  line_item: ["InvoiceLineItems", "InvoiceLineItem"],
  invoice_payment: ["InvoicePayments", "InvoicePayment"],
  refund: ["Refunds", "Refund"],
  dispute: ["Disputes", "Dispute"],
  "billing_portal.session": ["BillingPortal/Sessions", "Session"],
};

/** Nesting depth of objects in the schema; deeper ones may be any object. */
const DEPTH = 3;

const fileOf = (module) => join(folder, "cjs/resources", `${module}.d.ts`);
const modules = [...Object.values(REQUESTS), ...Object.values(OBJECTS)].map(([module]) => fileOf(module));
const program = ts.createProgram([...new Set(modules)], {
  strict: true,
  skipLibCheck: true,
  types: ["node"],
  noEmit: true,
});
const checker = program.getTypeChecker();

function typeOf(module, name) {
  const source = program.getSourceFile(fileOf(module));
  if (!source) throw new Error(`no types of ${module}`);
  const within = (module, part) => checker.getExportsOfModule(module).find((it) => it.name === part);
  const symbol = name
    .split(".")
    .reduce((module, part) => module && within(module, part), checker.getSymbolAtLocation(source));
  if (!symbol) throw new Error(`${module} has no type ${name}`);
  return checker.getDeclaredTypeOfSymbol(symbol);
}

/** The value of a resource's field `object`. */
function resourceOf(type) {
  const field = type.getProperty?.("object");
  const of = field && checker.getTypeOfSymbol(field);
  return of?.isStringLiteral() ? of.value : undefined;
}

function union(all, depth) {
  // `OtherString` stands for values of later versions. The product uses those of this one.
  const types = all.filter((it) => !it.isIntersection());
  const literals = types.filter((it) => it.isLiteral());
  const rest = types.filter(
    (it) => !it.isLiteral() && !(it.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.BooleanLiteral)),
  );
  const options = [];
  if (types.some((it) => it.flags & ts.TypeFlags.Null)) options.push({ type: "null" });
  if (types.some((it) => it.flags & ts.TypeFlags.BooleanLiteral)) options.push({ type: "boolean" });
  if (literals.length > 0) options.push({ enum: [...new Set(literals.map((it) => it.value))] });
  options.push(...rest.map((it) => schemaOf(it, depth)));
  const distinct = [...new Map(options.map((it) => [JSON.stringify(it), it])).values()];
  if (distinct.length === 0) return {};
  return distinct.length === 1 ? distinct[0] : { anyOf: distinct };
}

function schemaOf(type, depth) {
  if (type.isUnion()) return union(type.types, depth);
  if (type.isLiteral()) return { enum: [type.value] };
  if (type.flags & ts.TypeFlags.String) return { type: "string" };
  if (type.flags & ts.TypeFlags.Number) return { type: "number" };
  if (type.flags & ts.TypeFlags.BooleanLike) return { type: "boolean" };
  if (type.flags & ts.TypeFlags.Null) return { type: "null" };
  if (!(type.flags & ts.TypeFlags.Object)) return {};
  if (checker.isArrayType(type)) return { type: "array", items: schemaOf(checker.getTypeArguments(type)[0], depth) };
  const resource = resourceOf(type);
  if (resource !== undefined && resource !== "list" && depth > 0) {
    return resource in OBJECTS ? { $ref: `#/objects/${resource}` } : { type: "object" };
  }
  if (type.symbol?.name === "Decimal") return { type: "string" };
  return objectOf(type, depth, checker.getPropertiesOfType(type));
}

function objectOf(type, depth, fields) {
  const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  if (index) return { type: "object", additionalProperties: schemaOf(index, depth + 1) };
  if (depth >= DEPTH) return { type: "object" };
  const isNeeded = (field) => !(field.flags & ts.SymbolFlags.Optional);
  // `deleted?: void` marks an absent field.
  const present = fields.filter(
    (field) => field.name !== "lastResponse" && !(checker.getTypeOfSymbol(field).flags & ts.TypeFlags.Void),
  );
  const properties = Object.fromEntries(
    present
      .filter(({ name }) => name !== "deleted")
      .map((field) => [field.name, schemaOf(checker.getTypeOfSymbol(field), depth + 1)]),
  );
  const required = present
    .filter(({ name }) => name !== "deleted")
    .filter(isNeeded)
    .map(({ name }) => name);
  return { type: "object", properties, required, additionalProperties: false };
}

function request([module, name, spoken]) {
  const type = typeOf(module, name);
  const fields = checker.getPropertiesOfType(type);
  const unknown = spoken.filter((it) => !fields.some(({ name: field }) => field === it));
  if (unknown.length > 0) throw new Error(`${name} has no ${unknown.join(", ")}`);
  // Fields that the product must send are among those it sends.
  const used = fields.filter((field) => spoken.includes(field.name) || !(field.flags & ts.SymbolFlags.Optional));
  return objectOf(type, -2, used);
}

const each = (table, make) => Object.fromEntries(Object.entries(table).map(([key, value]) => [key, make(value)]));
const schema = {
  $comment: "Generated by web/codegen/stripe-schema.mjs from the types of npm stripe 23.1.0 (MIT, (c) Stripe, Inc.).",
  version: "2026-10-28.endive",
  requests: each(REQUESTS, request),
  objects: each(OBJECTS, ([module, name]) => {
    const type = typeOf(module, name);
    return objectOf(type, 0, checker.getPropertiesOfType(type));
  }),
};
writeFileSync(resolve(import.meta.dirname, "../e2e/support/stripe/schema.json"), `${JSON.stringify(schema)}\n`);
