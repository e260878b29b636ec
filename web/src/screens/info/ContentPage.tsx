import { Suspense } from "react";
import { useLocation } from "react-router";
import { Empty } from "../../components/basic/Empty";
import { RowSkeletons } from "../../components/basic/Skeleton";
import { useTexts } from "../../i18n/useTexts";
import { matchPath, routes } from "../../navigation";
import { selectCustomForm, selectPage, selectPages, selectSettings } from "../../slices/catalogue";
import { selectLoaderVisible } from "../../slices/loader";
import { FailedRead } from "../FailedRead";
import { part } from "../lazyWithRetry";
import { OnceReady } from "../OnceReady";
import { StaticBlock } from "../StaticBlock";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { ChannelForm } from "./ChannelForm";
import "./info.css";

/** The alias of the contact page's form. */
const CONTACT = "contact";

const Prose = part(() => import("../../components/text/Prose"));

/** A channel's page: about, contacts, legal pages and any other (PAGE). */
export function Component() {
  const { t } = useTexts();
  const { pathname } = useLocation();
  const pages = useAppSelector(selectPages);
  // A trailing slash and percent-escapes don't matter.
  const match = matchPath(pathname, pages);
  const path = match && match.name !== "content" ? routes[match.name].path : pathname;
  const listed = pages.find(({ id, url }) =>
    match?.name === "content" ? String(id) === match.params.id : url === path,
  );
  const { at, retry } = useRead(listed ? { method: "api.getPage", args: { id: listed.id } } : null);
  const page = useAppSelector((state) => (listed ? selectPage(listed.id)(state) : null));
  const defaultTitles: Record<string, string> = {
    [routes.about.path]: t("info.about"),
    [routes.contacts.path]: t("info.contacts"),
    [routes.privacyPolicy.path]: t("info.privacy"),
    [routes.termsConditions.path]: t("info.terms"),
  };
  const title = page?.name ?? defaultTitles[path] ?? "";
  useDocumentTitle(title);
  // The contact page has a form of that name; another page may have one with the page's alias.
  const formAlias = path === routes.contacts.path ? CONTACT : listed?.alt_name;
  const hasForm = useAppSelector(selectCustomForm(CONTACT)) !== null;
  // The channel's list of pages arrives with its settings.
  const settings = useAppSelector(selectSettings);
  const isStarting = useAppSelector(selectLoaderVisible);
  const hasPages = settings !== null || !isStarting;
  const isLoading = listed !== undefined && page?.content === undefined && at !== "loaded" && at !== "failed";
  const skeletons = <RowSkeletons count={4} />;
  return (
    <div className="wrap info">
      <h1 className="type-page">{title}</h1>
      <Suspense fallback={skeletons}>
        {/* Another page waits for its own text. */}
        <OnceReady key={path} ready={hasPages && !isLoading} fallback={skeletons}>
          {page?.content !== undefined ? (
            <Prose text={page.content} />
          ) : at === "failed" ? (
            <FailedRead onRetry={retry} />
          ) : isLoading ? (
            skeletons
          ) : (
            <Empty title={t("info.missing")} />
          )}
          {path === routes.contacts.path && <StaticBlock name="contacts" />}
          {formAlias !== undefined && <ChannelForm alias={formAlias} />}
          {/* LIM-4: shown wherever content can be submitted. */}
          {path === routes.contacts.path && hasForm && <p className="muted type-meta">{t("info.reviewed")}</p>}
        </OnceReady>
      </Suspense>
    </div>
  );
}
