import * as buying from "./buying";
import * as corners from "./edgeCases";
import * as keys from "./keys";
import * as pages from "./pages";
import * as reloads from "./reloads";
import * as told from "./remoteActions";
import * as roaming from "./roaming";
import * as watching from "./watching";

/** The recorded sessions by name. Six of their logs are committed (docs/replay.md). */
export const journeys: Readonly<Record<string, () => Promise<string>>> = {
  browse: watching.browse,
  "startup-key-expired": keys.startupKeyExpired,
  "startup-key-fails": keys.startupKeyFails,
  "startup-offline": keys.startupOffline,
  "auth-temporary-password": keys.authTemporaryPassword,
  "auth-links": keys.authLinks,
  account: keys.account,
  "purchase-paid": buying.purchasePaid,
  "purchase-declined": buying.purchaseDeclined,
  "purchase-socket-drops": buying.purchaseSocketDrops,
  "purchase-3ds-refused": buying.purchase3dsRefused,
  "purchase-refused": buying.purchaseRefused,
  "purchase-price-changed": buying.purchasePriceChanged,
  "purchase-reloaded": buying.purchaseReloaded,
  "purchase-options": buying.purchaseOptions,
  "auto-renew": roaming.autoRenew,
  "clock-jumps-back": roaming.clockJumpsBack,
  "two-tabs": roaming.twoTabs,
  "outbox-offline": roaming.outboxOffline,
  "connection-weather": roaming.connectionWeather,
  "account-buttons": pages.accountButtons,
  "asked-again": pages.rereads,
  "other-viewer": pages.otherViewer,
  "tag-manager": pages.tagManager,
  "clip-fails": watching.clipFails,
  "clip-late": watching.clipLate,
  preroll: watching.preroll,
  "analytics-session": watching.analyticsSession,
  french: watching.french,
  "corners-buying": corners.buyingCorners,
  "corners-following": corners.followingCorners,
  "corners-tabs": corners.tabCorners,
  "corners-reloaded-login": reloads.reloadedLogin,
  "corners-reloaded-logout": reloads.reloadedLogout,
  "corners-reloaded-key-failed": reloads.reloadedKeyFailed,
  "corners-reloaded-renewal": reloads.reloadedRenewal,
  "corners-reloaded-elsewhere": () => reloads.reloadedElsewhere(1),
  "corners-reloaded-later": () => reloads.reloadedElsewhere(400),
  "corners-startup-part": reloads.startupPartFails,
  "corners-login-behind-logout": reloads.loginBehindLogout,
  "corners-follows-then-leads": told.followsThenLeads,
  "corners-told": told.remoteActionCorners,
  "corners-leading": told.leadingCorners,
  "corners-socket": told.socketCorners,
  "corners-refusals": told.refusalCorners,
  "corners-clips": corners.clipCorners,
  "corners-rest": corners.otherCorners,
  "corners-reloaded-channel-key": () => corners.reloadCorners("channelKey"),
  "corners-reloaded-api-key": () => corners.reloadCorners("apiKey"),
  "corners-reloaded-loading": () => corners.reloadCorners("loading"),
};
