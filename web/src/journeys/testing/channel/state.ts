import type { components } from "../../../contracts/generated/openapi";
import { type Catalogue, createCatalogue } from "./catalogue";
import { Orders } from "./orders";
import { People, type Person } from "./people";

type Schemas = components["schemas"];
export type Geo = Schemas["Geo"];

/** The channel's data in memory. */
export interface State {
  readonly catalogue: Catalogue;
  readonly people: People;
  readonly orders: Orders;
  /** Answers to the channel's forms, as its operator reads them. */
  readonly forms: { readonly alias: string; readonly answers: { readonly [name: string]: string } }[];
  /** Events of the datalake, each once. */
  readonly analytics: Map<string, { readonly [name: string]: unknown }>;
  /** Problem reports. */
  readonly reports: Schemas["ProblemReport"][];
  /** Lines of the error log. */
  readonly errors: unknown[];
  /** The viewers' country. */
  geo: Geo;
  /** Countries in which the whole channel is blocked. */
  blockedCountries: string[];
  nextId(): number;
  /** Called after each change of a clip. */
  clipChanged(person: Person, clip: Schemas["Clip"]): void;
}

export function createState(): State {
  let count = 0;
  const nextId = (): number => ++count;
  const catalogue = createCatalogue();
  return {
    catalogue,
    people: new People(nextId, catalogue.accounts),
    orders: new Orders(nextId, catalogue),
    forms: [],
    analytics: new Map(),
    reports: [],
    errors: [],
    geo: { country: "United States", country_code: "US", ip: "192.0.2.1", is_geo_blocked: false },
    blockedCountries: [],
    nextId,
    clipChanged: () => undefined,
  };
}
