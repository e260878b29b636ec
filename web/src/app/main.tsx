import { createRoot } from "react-dom/client";
import type { NavigateFunction } from "react-router";
import { watchStyles } from "../screens/lazyWithRetry";
import { Crash } from "../screens/Root";
import { isReplayFrame } from "../simulate/place";
import { takeArrival } from "./arrival";
import { linkPressed } from "./earlyPages";
import { watchInstall } from "./installOffer";
import { startSite } from "./site";
import "../theme/index.css";

/** What lists are made of: the first screen has the first of them. */
const LISTED = ".event-card, .fixture-row";
/** How long a page that is not what the first screen announced is waited for, milliseconds. */
const OTHER_PAGE_AFTER_MS = 1_500;

const report = (error: unknown): void => reportError(error);

/** The first screen of the page, while it covers the site's own. */
interface FirstScreen {
  /** The page has all that its start brings. */
  started(): void;
  /** Presses on its links lead through the site from now on. */
  navigable(navigate: NavigateFunction): void;
}

/**
 * The screen that the worker put into the page stands until the site's own has something to show, and all that its start
 * brings: nothing moves any more then. It takes its place before the browser paints again (FAST-1).
 */
function replaceFirstScreen(place: HTMLElement): FirstScreen {
  const first = document.getElementById("first");
  if (!first) return { started: () => undefined, navigable: () => undefined };
  const title = first.querySelector("h1")?.textContent;
  const lists = first.querySelector(LISTED) !== null;
  let hasStarted = false;
  let hasNavigated = false;
  let late: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    first.remove();
    watch.disconnect();
    clearTimeout(late);
  };
  const look = (): void => {
    const shown = place.querySelector("h1, .empty");
    if (!hasStarted || !shown || place.querySelector(".loader")) return;
    if (hasNavigated || (shown.textContent === title && (!lists || place.querySelector(LISTED)))) end();
    // What is shown is something else: a failure, a page of the viewer's own, or a list that is slow to come.
    else late ??= setTimeout(end, OTHER_PAGE_AFTER_MS);
  };
  const watch = new MutationObserver(look);
  watch.observe(place, { childList: true, subtree: true, characterData: true });
  let navigate: NavigateFunction | null = null;
  first.addEventListener("click", (event) => {
    const address = navigate && linkPressed(event, window.location.origin);
    if (!navigate || address === null) return;
    event.preventDefault();
    navigate(address);
    hasNavigated = true;
    look();
  });
  return {
    started() {
      hasStarted = true;
      look();
    },
    navigable(through) {
      navigate = through;
    },
  };
}

watchStyles(document);
// The browser may say so before anything is shown.
const install = watchInstall(window);
const place = document.getElementById("root");
if (!place) throw new Error("the shell has no place for the site");
if (isReplayFrame(window)) {
  // It shows recorded states, and opens no session of the visitor's.
  import("../simulate/frame").then(({ showReplayFrame }) => showReplayFrame()).catch(report);
} else {
  const root = createRoot(place);
  const { started, navigable } = replaceFirstScreen(place);
  startSite({
    root,
    arrival: takeArrival(window),
    install,
    started,
    navigable,
    reload: () => window.location.reload(),
    openUrl: (url) => window.location.assign(url),
    report,
  }).catch((error: unknown) => {
    report(error);
    root.render(<Crash />);
    started();
  });
}
