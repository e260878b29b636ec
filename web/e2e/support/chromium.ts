import type { LaunchOptions } from "@playwright/test";
import { IS_ALONE } from "./alone";

/** As root, and without background network services. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--autoplay-policy=no-user-gesture-required",
  // A host that isn't this machine's own: its pages aren't a secure context.
  "--host-resolver-rules=MAP plain.test 127.0.0.1",
];

/** Debian's Chromium with its windows, full screen and back-forward cache. */
export const WHOLE_BROWSER: LaunchOptions = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", ...args],
};

/** V8 without its optimising compilers, which take a tenth of the processor time of pages that live for seconds. */
const SHORT_LIVED = "--js-flags=--no-opt --no-maglev";

/** The same build without a browser around its pages: a journey takes three quarters of the processor time. */
export const PAGES_ALONE: LaunchOptions = {
  executablePath: process.env.CHROMIUM_SHELL ?? "/usr/bin/chromium-headless-shell",
  // Where times are measured, pages run as in a viewer's browser.
  args: IS_ALONE ? args : [...args, SHORT_LIVED],
};
