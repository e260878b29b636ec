import type { ReactNode } from "react";
import { useLocation } from "react-router";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import { Tabs } from "../../components/basic/Tabs";
import { initialsOf } from "../../components/picture/Crest";
import { Avatar } from "../../components/shell/Header";
import { useTexts } from "../../i18n/useTexts";
import { linkTo, routes } from "../../navigation";
import { authActions } from "../../slices/auth";
import { selectSettings } from "../../slices/catalogue";
import { selectMyClipIds } from "../../slices/clips";
import { selectFavourites } from "../../slices/favourites";
import { owns, selectOrdersById } from "../../slices/orders";
import { selectUserFlags } from "../../slices/user";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppDispatch, useAppSelector } from "../state";
import { usePerson } from "../useAccount";
import { useReads } from "../useRead";
import { useTransactions } from "./useTransactions";
import "./Profile.css";

const SETTINGS = {
  path: "M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
};

/** The viewer's name and the navigation of their profile. */
export function ProfilePage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const { pathname } = useLocation();
  const person = usePerson();
  const unverified = useAppSelector(selectUserFlags)?.email_verified === false;
  const orders = Object.values(useAppSelector(selectOrdersById));
  const favourites = useAppSelector(selectFavourites).length;
  const clips = useAppSelector(selectMyClipIds).length;
  const remoteAuth = (useAppSelector(selectSettings)?.auth.remote_auth ?? 0) !== 0;
  const { lines } = useTransactions();
  useReads([
    { method: "api.listOrders", args: {} },
    { method: "api.listUserClips", args: {} },
    { method: "api.listFavourites", args: {} },
  ]);
  useDocumentTitle(title);
  const name = person ? `${person.first_name} ${person.last_name}`.trim() : "";
  const active = orders.filter(owns).length;
  const count = (value: number) => (value > 0 ? String(value) : undefined);
  const tabs = [
    { name: "activeOrders", label: t("profile.activeOrders"), count: count(active) },
    { name: "favourites", label: t("profile.favourites"), count: count(favourites) },
    { name: "transactions", label: t("profile.transactions"), count: count(lines?.length ?? 0) },
    { name: "clips", label: t("profile.clips"), count: count(clips) },
    ...(remoteAuth ? [{ name: "addSession", label: t("profile.device"), count: undefined } as const] : []),
  ] as const;
  const leave = (
    <Button look="quiet" onClick={() => dispatch(authActions.logoutPressed())}>
      {t("nav.logout")}
    </Button>
  );
  return (
    <div className="wrap profile">
      <div className="profile__head">
        <Avatar initials={initialsOf(name)} large />
        <div className="profile__who">
          <h1 className="type-page">{name || t("profile.title")}</h1>
          {person && <p className="type-meta muted">{person.email}</p>}
        </div>
        <div className="profile__acts">
          <span className="only-wide">
            <ButtonLink to={linkTo("profileEdit")}>{t("profile.edit")}</ButtonLink>
          </span>
          <span className="only-compact">
            <ButtonLink look="quiet" icon={SETTINGS} label={t("profile.edit")} to={linkTo("profileEdit")} />
          </span>
          <span className="only-wide">{leave}</span>
        </div>
      </div>
      {person && unverified && (
        <Notice tone="warning">
          <p>{t("profile.unverified", { email: person.email })}</p>
          <ButtonLink look="quiet" to={linkTo("verifyNotice")}>
            {t("verify.toNotice")}
          </ButtonLink>
        </Notice>
      )}
      <Tabs
        label={t("profile.tabs")}
        tabs={tabs.map((tab) => ({
          key: tab.name,
          to: linkTo(tab.name),
          label: tab.label,
          count: tab.count,
          current: pathname === routes[tab.name].path,
        }))}
      />
      {children}
      <div className="profile__leave">{leave}</div>
    </div>
  );
}
