import { type ReactNode, Suspense, useContext, useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { ClockOffsetContext, useNow } from "../../components/basic/now";
import { initialsOf } from "../../components/picture/Crest";
import { Footer } from "../../components/shell/Footer";
import { BottomBar, Header } from "../../components/shell/Header";
import { OfflineBanner } from "../../components/shell/OfflineBanner";
import { speak, withTexts } from "../../i18n/locale";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { LANGUAGES } from "../../lib/language";
import { SiteContext } from "../../ports/site";
import { selectViewer } from "../../slices/auth";
import { selectMenu, selectSettings } from "../../slices/catalogue";
import { selectOnline } from "../../slices/network";
import { selectPastDue } from "../../slices/orders";
import { preferencesActions } from "../../slices/preferences";
import { selectAnsweredAt } from "../../slices/queries";
import { selectUnreachable } from "../../slices/reachability";
import { selectStale } from "../../slices/startup";
import { selectOffersClips } from "../../slices/user";
import { part } from "../lazyWithRetry";
import { useAppDispatch, useAppSelector } from "../state";
import { usePerson } from "../useAccount";
import { barMenu, footerMenu, headerMenu } from "./menus";
import { useBrand } from "./useBrand";
import { useConsentChange } from "./useConsent";
import { Waiting } from "./Waiting";
import "./Frame.css";

const RenewalFailed = part(() => withTexts(import("../profile/RenewalFailed")));
const BOOTSTRAP = { method: "api.getBootstrap", args: {} } as const;
const RAILS = { method: "api.listHomeRails", args: {} } as const;
const HOUR = 3_600_000;

/** The offline banner of a page that shows cached data. */
function Offline() {
  const online = useAppSelector(selectOnline);
  const unreachable = useAppSelector(selectUnreachable);
  const stale = useAppSelector(selectStale);
  const bootstrapAt = useAppSelector(selectAnsweredAt(BOOTSTRAP));
  const railsAt = useAppSelector(selectAnsweredAt(RAILS));
  const offset = useContext(ClockOffsetContext);
  if (online && !stale) return null;
  const answerTimes = [bootstrapAt, railsAt].filter((at) => at !== null);
  return (
    <OfflineBanner
      unreachable={unreachable || online}
      updatedAt={answerTimes.length === 0 ? null : Math.max(...answerTimes) + offset}
      onRetry={() => window.location.reload()}
    />
  );
}

/** Focuses the new page after navigation, so that screen readers start there. */
function useFocusOnChange() {
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const focusedPath = useRef(pathname);
  useEffect(() => {
    if (focusedPath.current === pathname) return;
    focusedPath.current = pathname;
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}

/** Handles `/` and arrow keys from the first press (SEARCH-3, WIDE-2). */
function useKeys() {
  const navigate = useNavigate();
  useEffect(() => {
    const unmount = new AbortController();
    let started = false;
    const start = async (event: KeyboardEvent) => {
      if (started || !/^(\/|Arrow)/.test(event.key)) return;
      started = true;
      const keys = await import("./pageKeys").catch(() => null);
      keys?.listenToKeys(event, () => navigate("/search"), unmount.signal);
    };
    document.addEventListener("keydown", start, unmount);
    return () => unmount.abort();
  }, [navigate]);
}

/** The time zone's name, computed after the first render, since it is slow on phones. */
function useZone(now: number): string | undefined {
  const formats = useFormats();
  const [zone, setZone] = useState<string>();
  useEffect(() => {
    const soon = setTimeout(() => setZone(formats.zoneName(now)));
    return () => clearTimeout(soon);
  }, [formats, now]);
  return zone;
}

/** Header, content, footer and bottom bar around every page. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const { t, language } = useTexts();
  const dispatch = useAppDispatch();
  const now = useNow(HOUR);
  const zone = useZone(now);
  const { pathname, search } = useLocation();
  const address = pathname + search;
  const brand = useBrand();
  const menu = useAppSelector(selectMenu);
  const settings = useAppSelector(selectSettings);
  // The viewer stays in the header until logout is complete: once it says "Log in", the page can be closed (AUTH-2).
  const hasViewer = useAppSelector(selectViewer) !== null;
  const person = usePerson();
  const pastDue = useAppSelector(selectPastDue);
  const main = useFocusOnChange();
  useKeys();
  const recording = useConsentChange();
  const site = useContext(SiteContext);
  const name = person ? `${person.first_name} ${person.last_name}`.trim() : "";
  const other = LANGUAGES.find((one) => one !== language) ?? "en";
  const offersClips = useAppSelector(selectOffersClips);
  const switchLanguage = () => {
    dispatch(preferencesActions.chose({ name: "language", value: other }));
    void speak(other);
  };
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <div className="frame">
      <a className="frame__skip" href="#main">
        {t("nav.skip")}
      </a>
      <Header
        brand={brand}
        items={headerMenu(menu, address, t)}
        viewer={hasViewer ? { name, initials: initialsOf(name) } : null}
      />
      <Offline />
      {pastDue && (
        <Suspense>
          <RenewalFailed order={pastDue} />
        </Suspense>
      )}
      <main id="main" ref={main} tabIndex={-1}>
        {children}
        <Waiting />
      </main>
      <Footer
        brand={brand}
        items={footerMenu(menu, address, t)}
        year={new Date(now).getFullYear()}
        zone={zone}
        note={settings?.static_blocks?.footer}
        onReport={site?.reportProblem}
        recording={recording}
        language={{ label: t("nav.otherLanguage"), tag: other, onSwitch: switchLanguage }}
      />
      <BottomBar items={barMenu(hasViewer, offersClips, address, t)} />
    </div>
  );
}
