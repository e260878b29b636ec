import { createRoot } from "react-dom/client";
import type { NavigateFunction } from "react-router";
import { watchStyles } from "../screens/lazyWithRetry";
import { Crash } from "../screens/Root";
import { isReplayFrame } from "../simulate/paths";
import { takeArrival } from "./arrival";
import { linkPressed } from "./earlyPages";
import { watchInstall } from "./installOffer";
import { startSite } from "./site";
import "../theme/index.css";

/** List items: the first screen contains the first of them. */
const LISTED = ".event-card, .fixture-row";
/** A list that is loading. The schedule has two, whose first items are on the first screen. */
const LIST_LOADING = ".skeleton__row";
/** Wait for a page that the first screen didn't announce, in milliseconds. */
const OTHER_PAGE_AFTER_MS = 1_500;

const report = (error: unknown): void => reportError(error);

/** The server-rendered first screen, while it covers the app. */
interface FirstScreen {
  /** Everything from start-up has loaded. */
  started(): void;
  /** From now on, links on the first screen navigate within the site. */
  navigable(navigate: NavigateFunction): void;
}

/**
 * The first screen stays until the app has rendered its start-up content, so that nothing shifts. The app replaces it
 * before the next paint (FAST-1).
 */
function replaceFirstScreen(container: HTMLElement): FirstScreen {
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
    const heading = container.querySelector("h1, .empty");
    if (!hasStarted || !heading || container.querySelector(".loader")) return;
    const isListed = !lists || (container.querySelector(LISTED) && !container.querySelector(LIST_LOADING));
    if (hasNavigated || (heading.textContent === title && isListed)) end();
    // The app shows something else: an error, a personal page, or a list that is slow to load.
    else late ??= setTimeout(end, OTHER_PAGE_AFTER_MS);
  };
  const watch = new MutationObserver(look);
  watch.observe(container, { childList: true, subtree: true, characterData: true });
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
// The browser may fire the event before anything is rendered.
const install = watchInstall(window);
const container = document.getElementById("root");
if (!container) throw new Error("the shell has no root element");
if (isReplayFrame(window)) {
  // The replay frame shows recorded states and opens no session.
  import("../simulate/frame").then(({ showReplayFrame }) => showReplayFrame()).catch(report);
} else {
  const root = createRoot(container);
  const { started, navigable } = replaceFirstScreen(container);
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
