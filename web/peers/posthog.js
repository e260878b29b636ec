import posthog from "posthog-js";

posthog.init("phc_bench", {
  api_host: location.origin,
  autocapture: false,
  capture_pageview: false,
  capture_pageleave: false,
  disable_session_recording: true,
  disable_surveys: true,
  disable_compression: true,
  advanced_disable_flags: true,
  disable_external_dependency_loading: true,
  // A headless browser counts as a bot.
  opt_out_useragent_filter: true,
});

globalThis.track = (mark) => void posthog.capture("tick", { mark });
