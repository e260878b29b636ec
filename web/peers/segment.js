import { AnalyticsBrowser } from "@segment/analytics-next";

const analytics = AnalyticsBrowser.load({
  writeKey: "bench",
  cdnSettings: {
    integrations: { "Segment.io": { apiKey: "bench", apiHost: `${location.host}/v1`, protocol: "http" } },
  },
});

globalThis.track = (mark) => void analytics.track("tick", { mark });
