import type { EventView } from "../../components/event/eventView";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";

/** Replaces the embedded video with the reason why it doesn't play, and a link to the site. */
export function EmbedWay({ view }: { readonly view: EventView }) {
  const { t } = useTexts();
  const { offer, to } = view;
  if (offer.kind === "offline") return <p className="stage__words">{t("offline.needsConnection")}</p>;
  if (offer.kind === "blocked") {
    return (
      <>
        <p className="stage__words" role="status">
          {t("event.blocked")}
        </p>
        <Away to={linkTo("events")} label={t("region.wayOn")} />
      </>
    );
  }
  const way = {
    login: t("event.loginToWatch"),
    register: t("event.registerToWatch"),
    buy: offer.kind === "buy" && offer.price !== null ? t("event.buyFor", { price: offer.price }) : t("event.details"),
    owned: t("event.eventDetails"),
    free: t("event.eventDetails"),
    watch: t("event.eventDetails"),
  };
  const why = offer.kind === "login" || offer.kind === "buy" ? t("watch.notHere") : t("watch.registerText");
  return (
    <>
      {(offer.kind === "login" || offer.kind === "buy" || offer.kind === "register") && (
        <p className="stage__words">{why}</p>
      )}
      <Away to={to} label={way[offer.kind]} />
    </>
  );
}

/** Viewers don't log in or pay inside a frame: the site opens in a new tab. */
export function Away({ to, label }: { readonly to: string; readonly label: string }) {
  return (
    <a className="button button--chalk" href={to} target="_blank" rel="noopener">
      <span className="button__content">{label}</span>
    </a>
  );
}
