/** Routes and navigation rules: data and pure functions without a DOM. */
export { linkTo, linkToGroup, linkToParticipant, type QueryKey } from "./links";
export { type Match, matchPath, type PageAddress } from "./match";
export { idOf, type NamedProduct, productOf, soldBy } from "./product";
export { type Audience, groupOf, type Layout, type RouteName, routeNames, routes, type ScreenGroup } from "./routes";
export { type Decision, decide, isRemembered, type PageChange, type Viewer } from "./rules";
export { TRACKING_LIFETIME_MS, trackingOf } from "./tracking";
