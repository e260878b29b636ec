import { Suspense } from "react";
import { useLocation } from "react-router";
import { Empty } from "../../components/basic/Empty";
import { RowSkeletons } from "../../components/basic/Skeleton";
import { useTexts } from "../../i18n/useTexts";
import { matchPath, routes } from "../../navigation";
import { selectCustomForm, selectPage, selectPages } from "../../slices/catalogue";
import { FailedRead } from "../FailedRead";
import { part } from "../lazyWithRetry";
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
  const formAlias = path === routes.contacts.path ? CONTACT : match?.name === "content" ? listed?.alt_name : undefined;
  const hasForm = useAppSelector(selectCustomForm(CONTACT)) !== null;
  return (
    <div className="wrap info">
      <h1 className="type-page">{title}</h1>
      {/* Together: what arrives later would move the form under a finger. */}
      <Suspense fallback={<RowSkeletons count={4} />}>
        {listed && page?.content === undefined && at !== "loaded" && at !== "failed" ? (
          <RowSkeletons count={4} />
        ) : (
          <>
            {page?.content !== undefined ? (
              <Prose text={page.content} />
            ) : at === "failed" ? (
              <FailedRead onRetry={retry} />
            ) : (
              <Empty title={t("info.missing")} />
            )}
            {path === routes.contacts.path && <StaticBlock name="contacts" />}
            {formAlias !== undefined && <ChannelForm alias={formAlias} />}
            {/* LIM-4: shown wherever content can be submitted. */}
            {path === routes.contacts.path && hasForm && <p className="muted type-meta">{t("info.reviewed")}</p>}
          </>
        )}
      </Suspense>
    </div>
  );
}
