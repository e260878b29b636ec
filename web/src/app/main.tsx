import { StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { Provider } from "react-redux";
import { createBrowserRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { languageOf, speak, startTexts } from "../i18n/locale";
import { AccountContext } from "../ports/account";
import { SiteContext, type SitePort } from "../ports/site";
import { Crash } from "../screens/Root";
import { siteRoutes } from "../screens/routes";
import { selectPages } from "../slices/catalogue";
import { selectPreference } from "../slices/preferences";
import { applyChannelColours } from "../theme/channelTheme";
import { readShellConfig } from "./config";
import { download, earlierLogFile, presentLog } from "./export";
import { listenToBrowser } from "./inputs";
import { recordPages } from "./pages";
import { askForBackgroundSync, registerServiceWorker } from "./serviceWorker";
import { openSession } from "./store";
import { tag } from "./tags";
import "../theme/index.css";

const report = (error: unknown): void => reportError(error);
const reload = (): void => window.location.reload();

function sendKept(url: string, body: string): void {
  // The page is on its way out: nobody is left to hear of a failure, and the outbox still has what was sent.
  window
    .fetch(url, { method: "POST", body, keepalive: true, headers: { "Content-Type": "application/json" } })
    .catch(() => undefined);
}

async function start(root: Root): Promise<void> {
  const config = readShellConfig(document.getElementById("touchline-config")?.textContent ?? null);
  applyChannelColours(config.colours, document.documentElement);
  startTexts();
  const session = await openSession({
    config,
    tag,
    reload,
    openUrl: (url) => window.location.assign(url),
    report,
  });
  const { store, client, input, collect, write, leave, log, flushLog } = session;
  await speak(languageOf(selectPreference("language")(store.getState()) ?? config.language));

  const router = createBrowserRouter(siteRoutes());
  recordPages(router, () => selectPages(store.getState()), input);
  listenToBrowser({
    input,
    collect,
    write,
    leave,
    report,
    sendRecorded() {
      client.outbox.pageHidden(sendKept);
      askForBackgroundSync().catch(report);
    },
  });
  const site: SitePort = {
    ...registerServiceWorker(reload),
    presentLog: () => presentLog(log, flushLog),
    earlierLog: () => earlierLogFile(log),
    requestIds: client.api.requestIds.list,
    download,
  };
  // Support, and the journeys of the tests, take the log without a screen.
  document.addEventListener("touchline:export-log", () => {
    site.presentLog().then(download).catch(report);
  });

  root.render(
    <StrictMode>
      <SiteContext.Provider value={site}>
        <AccountContext.Provider value={client.api.account}>
          <Provider store={store}>
            <RouterProvider router={router} />
          </Provider>
        </AccountContext.Provider>
      </SiteContext.Provider>
    </StrictMode>,
  );
  collect().catch(report);
}

const place = document.getElementById("root");
if (!place) throw new Error("the shell has no place for the site");
const root = createRoot(place);
start(root).catch((error: unknown) => {
  report(error);
  root.render(<Crash />);
});
