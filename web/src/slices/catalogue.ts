import { original } from "@reduxjs/toolkit";
import type {
  Bootstrap,
  ContentPage,
  CustomForm,
  EventCategory,
  Geo,
  Id,
  Package,
  Participant,
  Popup,
  Slide,
  Subscription,
} from "../contracts/resources";
import { createSlice } from "./createSlice";
import type { RootState } from "./index";
import { queryActions } from "./queries";

/** NAV, SET, PAGE: the channel's static data, as far as it is loaded. */
export interface CatalogueState {
  readonly bootstrap: Bootstrap | null;
  readonly participants: readonly Participant[];
  /** Packages and subscriptions that were read individually, with the viewer's entitlement. */
  readonly packages: { readonly [id: Id]: Package };
  readonly subscriptions: readonly Subscription[];
  readonly pages: { readonly [id: Id]: ContentPage };
  readonly slides: { readonly [type: string]: readonly Slide[] };
  readonly popups: readonly Popup[];
  readonly forms: { readonly [alias: string]: CustomForm | null };
  readonly geo: Geo | null;
}

const initialState: CatalogueState = {
  bootstrap: null,
  participants: [],
  packages: {},
  subscriptions: [],
  pages: {},
  slides: {},
  popups: [],
  forms: {},
  geo: null,
};

const byId = <T extends { id: Id }>(items: readonly T[]): { [id: Id]: T } =>
  Object.fromEntries(items.map((item) => [item.id, item]));

export const catalogue = createSlice({
  name: "catalogue",
  initialState: initialState as CatalogueState,
  reducers: {},
  extraReducers: (builder) =>
    builder.addCase(queryActions.loaded, (state, { payload }): CatalogueState => {
      const now = original(state) as CatalogueState;
      switch (payload.method) {
        case "api.getBootstrap":
          return {
            ...now,
            bootstrap: payload.answer,
            packages: byId(payload.answer.packages),
            subscriptions: payload.answer.subscriptions,
          };
        case "api.getParticipants":
          return { ...now, participants: payload.answer };
        case "api.listPackages":
          return { ...now, packages: byId(payload.answer) };
        case "api.getPackage":
          return { ...now, packages: { ...now.packages, [payload.answer.id]: payload.answer } };
        case "api.listSubscriptions":
          return { ...now, subscriptions: payload.answer };
        case "api.getPage":
          return { ...now, pages: { ...now.pages, [payload.answer.id]: payload.answer } };
        case "api.listSlides":
          return { ...now, slides: { ...now.slides, [payload.args.type ?? ""]: payload.answer } };
        case "api.listPopups":
          return { ...now, popups: payload.answer };
        case "api.getCustomForm":
          return { ...now, forms: { ...now.forms, [payload.args.alias]: payload.answer } };
        case "api.getGeo":
          return { ...now, geo: payload.answer };
        default:
          return now;
      }
    }),
});

const NOTHING: readonly never[] = [];

export const selectSettings = ({ catalogue: { bootstrap } }: RootState) => bootstrap?.settings ?? null;
export const selectMenu = ({ catalogue: { bootstrap } }: RootState) => bootstrap?.menu ?? null;
export const selectPages = ({ catalogue: { bootstrap } }: RootState): readonly ContentPage[] =>
  bootstrap?.pages ?? NOTHING;
export const selectPage =
  (id: Id) =>
  ({ catalogue: { pages, bootstrap } }: RootState): ContentPage | null =>
    pages[id] ?? bootstrap?.pages.find((page) => page.id === id) ?? null;
export const selectCategories = ({ catalogue: { bootstrap } }: RootState): readonly EventCategory[] =>
  bootstrap?.["events-categories"] ?? NOTHING;
export const selectLocations = ({ catalogue: { bootstrap } }: RootState) => bootstrap?.["events-locations"] ?? NOTHING;
export const selectGroups = ({ catalogue: { bootstrap } }: RootState) => bootstrap?.["participant-groups"] ?? NOTHING;
/** The channel's school properties, in its own wording and order. */
export const selectGroupProperties = ({ catalogue: { bootstrap } }: RootState) =>
  bootstrap?.["participant-group-properties"] ?? NOTHING;
export const selectFaq = ({ catalogue: { bootstrap } }: RootState) => bootstrap?.faq ?? NOTHING;
export const selectParticipants = ({ catalogue: { participants } }: RootState): readonly Participant[] => participants;
export const selectPrerolls = ({ catalogue: { bootstrap } }: RootState) => bootstrap?.settings.prerolls ?? NOTHING;
export const selectMainSlides = ({ catalogue: { bootstrap } }: RootState): readonly Slide[] =>
  bootstrap?.slides ?? NOTHING;
export const selectSubscriptions = ({ catalogue: { subscriptions } }: RootState): readonly Subscription[] =>
  subscriptions;
/** By id. The object changes only when a package does. */
export const selectPackagesById = ({ catalogue: { packages } }: RootState) => packages;
export const selectPackage =
  (id: Id) =>
  ({ catalogue: { packages } }: RootState): Package | null =>
    packages[id] ?? null;

export const selectCustomForm =
  (alias: string) =>
  ({ catalogue: { forms } }: RootState): CustomForm | null =>
    forms[alias] ?? null;

/** A category and all its descendants. */
export function withDescendants(tree: readonly EventCategory[], ids: ReadonlySet<Id>): Set<Id> {
  const found = new Set<Id>();
  const walk = (nodes: readonly EventCategory[], covered: boolean): void => {
    for (const { id, children } of nodes) {
      const inside = covered || ids.has(id);
      if (inside) found.add(id);
      walk(children, inside);
    }
  };
  walk(tree, false);
  // A category missing from the tree still includes itself.
  for (const id of ids) found.add(id);
  return found;
}
/** The viewer's country, as ISO 3166-1 alpha-2; empty if unknown. */
export const selectCountryCode = ({ catalogue: { geo } }: RootState): string => geo?.country_code ?? "";
