import { RudderAnalytics } from "@rudderstack/analytics-js/bundled";

const analytics = new RudderAnalytics();
analytics.load("bench", location.origin, { configUrl: location.origin });

globalThis.track = (mark) => void analytics.track("tick", { mark });
