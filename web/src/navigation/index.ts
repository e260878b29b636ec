/** Routes and navigation rules: data and pure functions without a DOM. */
export { linkTo, linkToGroup, linkToParticipant } from "./links";
export { type Match, matchPath, type PageAddress } from "./match";
export { idOf, productOf, soldBy } from "./product";
export { groupOf, isSearched, type RouteName, routeNames, routes, type ScreenGroup } from "./routes";
export { decide, isRemembered } from "./rules";
export { TRACKING_LIFETIME_MS, trackingOf } from "./tracking";
