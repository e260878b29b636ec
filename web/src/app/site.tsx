import { lazy, StrictMode, startTransition, useEffect, useState } from "react";
import type { Root } from "react-dom/client";
import { Provider } from "react-redux";
import { BrowserRouter, type NavigateFunction, useLocation, useNavigate } from "react-router";
import { ReportContext } from "../components/shell/report";
import { speak } from "../i18n/locale";
import { LANGUAGES, languageOf } from "../lib/language";
import { sendsAnalyticsFrom } from "../outbox/localhost";
import { AccountContext } from "../ports/account";
import { type Arrival, ArrivalContext } from "../ports/arrival";
import { DeviceContext } from "../ports/device";
import { MediaContext } from "../ports/media";
import { OtherTabsContext } from "../ports/otherTabs";
import { RobotCheckContext } from "../ports/robots";
import { type InstallPort, SiteContext, type SitePort } from "../ports/site";
import { watchParts } from "../screens/lazyWithRetry";
import { SiteRoutes, screenAhead } from "../screens/routes";
import { nextTask } from "../session/ambient";
import { readShellConfig } from "../session/config";
import { createDeferred } from "../session/deferred";
import { lazyRobotCheck } from "../session/lazyPorts";
import { openSession } from "../session/openSession";
import { selectPages } from "../slices/catalogue";
import { selectLoaderVisible } from "../slices/loader";
import { selectPreference } from "../slices/preferences";
import { selectPurchaseBusy } from "../slices/purchase";
import { applyChannelColours } from "../theme/channelTheme";
import { createContainerGate } from "./containerGate";
import { earlyPages } from "./earlyPages";
import { currentLog, download } from "./export";
import { addressOf, leaveHead } from "./firstHead";
import { listenToBrowser } from "./inputs";
import { type HistoryEntry, pageRecorder } from "./pages";
import { createReportDialogState } from "./report/dialogState";
import { ReportHost } from "./report/ReportHost";
import { leaveToServiceWorker, registerServiceWorker, type Updates } from "./serviceWorker";
import { openTagManager, tag } from "./tags";
import { watchTypedForms } from "./typedForms";

/** Maximum wait for the first screen before the page is rendered without it, in milliseconds. */
const AHEAD_MS = 300;

async function sendKeepalive(url: string, body: string): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const { ok, status } = await window.fetch(url, { method: "POST", body, keepalive: true, headers });
  if (!ok) throw new Error(`what the page left behind was answered with ${status}`);
}

/** Resolves when `ready` settles, or after `ms`. */
const within = (ready: Promise<void>, ms: number): Promise<unknown> =>
  Promise.race([ready.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, ms))]);

const Simulate = lazy(async () => ({ default: (await import("../simulate/Simulate")).Component }));

interface TravelsProps {
  readonly onReach: (place: HistoryEntry) => void;
  readonly onNavigable: (navigate: NavigateFunction) => void;
}

/** Reports each location before its page sends requests: it renders before the pages. */
function Travels({ onReach, onNavigable }: TravelsProps) {
  const location = useLocation();
  const navigate = useNavigate();
  const [first] = useState(location.key);
  useEffect(() => {
    // Back was pressed before the router listened, which it does from its first rendering on (LIST-7).
    const { state } = window.history;
    if ((state?.key ?? "default") !== first) window.dispatchEvent(new PopStateEvent("popstate", { state }));
  }, [first]);
  useEffect(() => onReach(location), [onReach, location]);
  useEffect(() => onNavigable(navigate), [onNavigable, navigate]);
  return null;
}

const ignored = (): void => undefined;

export interface SiteDeps {
  readonly root: Root;
  /** The secrets of the opening link. */
  readonly arrival: Arrival | null;
  readonly install: InstallPort;
  /** Called once start-up content has rendered. */
  started(): void;
  /** Called once navigation works without page loads. */
  navigable?(navigate: NavigateFunction): void;
  reload(): void;
  /** Leaves the site for another address. */
  openUrl(url: string): void;
  report(error: unknown): void;
}

/** Opens the session, listens to the browser and renders the site. */
export async function startSite(parts: SiteDeps): Promise<void> {
  const { root, arrival, install, started, navigable = ignored, reload, openUrl, report } = parts;
  // Evaluating the site's code was one long task; this starts another.
  await nextTask();
  const config = readShellConfig(document.getElementById("touchline-config")?.textContent ?? null);
  const sendsAnalytics = sendsAnalyticsFrom(window.location.hostname, config.sendsAnalyticsFromLocalhost);
  applyChannelColours(config.colours, document.documentElement);
  const makeReady = screenAhead(window.location.pathname);
  const registered = createDeferred<Updates>();
  const gate = createContainerGate({
    open: openTagManager,
    reload: () => void write().catch(report).finally(reload),
    hadSecrets: arrival !== null,
  });
  const early = earlyPages(window, Date.now());
  const session = await openSession({
    config,
    referrer: early.referrer,
    trk: early.trk,
    tag,
    openTagManager(container) {
      if (sendsAnalytics) gate.want(container);
    },
    reload,
    openUrl,
    overtaken: () => void registered.promise.then(({ announce }) => announce()),
    databaseOpened: () => void registered.promise.then(({ reloadWhenIdle }) => reloadWhenIdle()),
    report,
  });
  watchParts(session.watchLoad);
  const { store, client, input, collect, keyLost, write, log, flushLog } = session;
  const unwatch = store.subscribe(() => {
    if (selectLoaderVisible(store.getState())) return;
    unwatch();
    // React's synchronous rendering is done when the next task starts.
    setTimeout(started);
  });
  await nextTask();
  // A link may request a language: search engines index each page in both.
  const languages = early.searches.map((search) => new URLSearchParams(search).get("lang"));
  const [requested] = languages.flatMap((language) => LANGUAGES.filter((one) => one === language));
  await speak(requested ?? languageOf(selectPreference("language")(store.getState()) ?? config.language));

  const recordPage = pageRecorder(() => selectPages(store.getState()), input, client.api.account.standIn);
  const opened = addressOf(window.location);
  let isFirst = true;
  const reachPage = (place: HistoryEntry): void => {
    leaveHead(opened, addressOf(place));
    if (isFirst) early.record(recordPage);
    isFirst = false;
    recordPage(place);
    gate.reach(place.pathname);
  };
  listenToBrowser({
    sendsAnalytics,
    input,
    collect,
    keyLost,
    write,
    leave: session.leave,
    comeBack: session.comeBack,
    visibilityChanged: session.visibilityChanged,
    report,
    sendRecorded() {
      client.outbox.pageHidden(sendKeepalive);
      leaveToServiceWorker();
    },
  });
  const dialogState = createReportDialogState();
  const hasTypedForm = watchTypedForms(document);
  const { isEveryTabIdle } = session.idleCheck(
    () => !hasTypedForm() && !selectPurchaseBusy(store.getState()) && client.api.account.question() === null,
  );
  const updates = registerServiceWorker({ reload, isEveryTabIdle });
  registered.resolve(updates);
  const site: SitePort = {
    ...updates,
    install,
    reportProblem: dialogState.open,
    currentLog: () => currentLog(log, flushLog),
    earlierLog: async () => (await import("./exportEarlier")).earlierLogFile(log),
    requestIds: client.api.requestIds.list,
    download,
  };
  // Support and the test journeys export the log without a screen.
  document.addEventListener("touchline:export-log", () => {
    site.currentLog().then(download).catch(report);
  });

  await within(makeReady(), AHEAD_MS);
  await nextTask();
  const robots = lazyRobotCheck(async () => (await import("./robots")).createRobotCheck());
  const page = (
    <StrictMode>
      <SiteContext.Provider value={site}>
        <ReportContext.Provider value={dialogState.open}>
          <AccountContext.Provider value={client.api.account}>
            <MediaContext.Provider value={client.api.media}>
              <DeviceContext.Provider value={client.api.device}>
                <Provider store={store}>
                  <RobotCheckContext.Provider value={robots}>
                    <ArrivalContext.Provider value={arrival}>
                      <OtherTabsContext.Provider value={session.otherTabs}>
                        <BrowserRouter>
                          <Travels onReach={reachPage} onNavigable={navigable} />
                          <SiteRoutes simulate={Simulate} />
                        </BrowserRouter>
                      </OtherTabsContext.Provider>
                    </ArrivalContext.Provider>
                  </RobotCheckContext.Provider>
                  <ReportHost dialogState={dialogState} site={site} />
                </Provider>
              </DeviceContext.Provider>
            </MediaContext.Provider>
          </AccountContext.Provider>
        </ReportContext.Provider>
      </SiteContext.Provider>
    </StrictMode>
  );
  // A transition, so that input is handled between chunks.
  startTransition(() => root.render(page));
  collect().catch(report);
}
