import { useEffect, useId, useRef, useState } from "react";
import { useLocation } from "react-router";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Notice } from "../../components/basic/Notice";
import type { EventView } from "../../components/event/eventView";
import { RadioCard } from "../../components/form/RadioCard";
import { PriceSum } from "../../components/shop/PriceSum";
import type { Event } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectLoggedIn } from "../../slices/auth";
import { selectCategories, selectPackagesById, selectSubscriptions } from "../../slices/catalogue";
import { selectOnline } from "../../slices/network";
import { selectTrialAvailable } from "../../slices/user";
import { RegionActions } from "../RegionActions";
import { useAppSelector } from "../state";
import { useCountry } from "../useCountry";
import { type Offering, offeringsFor } from "./offers";

/** Number of offers shown initially. */
const AT_FIRST = 3;

/** Whether the panel is in view; until then a bar above the bottom bar of compact screens replaces it. */
function useInView() {
  const panel = useRef<HTMLElement>(null);
  const [inView, setInView] = useState(true);
  useEffect(() => {
    if (!panel.current) return;
    const observer = new IntersectionObserver(([entry]) => setInView(entry?.isIntersecting ?? true), {
      rootMargin: "0px 0px -120px",
    });
    observer.observe(panel.current);
    return () => observer.disconnect();
  }, []);
  return [panel, inView] as const;
}

/** The panel's button. Offline there is none, since nobody can log in or buy (PAY-8). */
function useAction(view: EventView, chosen: Offering | undefined) {
  const { t } = useTexts();
  const formats = useFormats();
  const loggedIn = useAppSelector(selectLoggedIn);
  const online = useAppSelector(selectOnline);
  const { pathname } = useLocation();
  if (!online) return null;
  if (!loggedIn) {
    const first = view.offer.kind === "register" ? "registration" : "login";
    const label = view.offer.kind === "register" ? t("event.registerToWatch") : t("event.loginToWatch");
    return { to: linkTo(first), label, state: { from: pathname }, capitals: true };
  }
  if (!chosen) return null;
  const label =
    chosen.kind === "trial"
      ? t("buy.startTrial")
      : t("buy.buyFor", { price: formats.money(chosen.basePrice + chosen.serviceFee, chosen.currency) });
  return { to: chosen.to, label, state: null, capitals: false };
}

interface BuyPanelProps {
  readonly event: Event;
  readonly view: EventView;
  /** Checks again whether the event is available in the viewer's region. */
  readonly onCheck: () => void;
}

/** Ways to watch an event: logging in, or one of its offers with the total price (PAY-5). */
export function BuyPanel({ event, view, onCheck }: BuyPanelProps) {
  if (view.offer.kind === "blocked") return <BlockedPanel onCheck={onCheck} />;
  return <Offers event={event} view={view} />;
}

/** An event that is blocked in the viewer's region: no offers and no prices (GEO-1). */
function BlockedPanel({ onCheck }: Pick<BuyPanelProps, "onCheck">) {
  const { t } = useTexts();
  const country = useCountry();
  return (
    <section className="panel stack">
      <h2 className="type-section">{t("event.blocked")}</h2>
      <p className="muted">{country === null ? t("region.text") : t("region.in", { country })}</p>
      <RegionActions onCheck={onCheck} />
      <p className="type-meta muted">{t("region.move")}</p>
    </section>
  );
}

function Offers({ event, view }: Omit<BuyPanelProps, "onCheck">) {
  const { t } = useTexts();
  const formats = useFormats();
  const name = useId();
  const { pathname } = useLocation();
  const loggedIn = useAppSelector(selectLoggedIn);
  const online = useAppSelector(selectOnline);
  const packages = useAppSelector(selectPackagesById);
  const subscriptions = useAppSelector(selectSubscriptions);
  const categories = useAppSelector(selectCategories);
  const trialAvailable = useAppSelector(selectTrialAvailable);
  const [key, setKey] = useState<string | null>(null);
  const [all, setAll] = useState(false);
  const [panel, inView] = useInView();
  const free = view.offer.kind === "register" || view.offer.kind === "free";
  const offerings = free
    ? []
    : offeringsFor(event, { packages: Object.values(packages), subscriptions, categories, trialAvailable });
  const chosen = offerings.find((one) => one.key === key) ?? offerings[0];
  const visible = all || offerings.length <= AT_FIRST + 1 ? offerings : offerings.slice(0, AT_FIRST);
  const hidden = offerings.length - visible.length;
  const action = useAction(view, chosen);
  const money = (minor: number) => formats.money(minor, chosen?.currency ?? event.currency);
  const period = (offering: Offering) =>
    offering.period === "year" ? t("packages.annual") : offering.period === "month" ? t("packages.monthly") : null;
  const text = (offering: Offering) => {
    if (offering.kind === "event")
      return view.status === "finished" ? t("watch.thisEventOnDemand") : t("watch.thisEventText");
    if (offering.period === null) return t("watch.passText");
    const every = period(offering) ?? "";
    return offering.trialDays > 0 ? `${t("packages.trial", { count: offering.trialDays })}, ${every}` : every;
  };
  const nameOf = ({ kind, name, team }: Offering) =>
    kind === "event" ? t("watch.thisEvent") : team === null ? name : t("packages.ofTeam", { name, team });
  const lines: Record<Offering["kind"], string> = {
    event: t("buy.single"),
    package: t("buy.package"),
    subscription: t("buy.subscription"),
    trial: t("buy.subscription"),
  };
  return (
    <>
      <section className="panel stack" ref={panel} aria-labelledby={`${name}title`}>
        <h2 className="type-section" id={`${name}title`}>
          {t("watch.panel")}
        </h2>
        {!online && <Notice icon="offline">{t("offline.needsConnection")}</Notice>}
        {offerings.length > 0 && (
          <fieldset className="choices">
            <legend className="visually-hidden">{t("watch.panel")}</legend>
            {visible.map((offering) => (
              <RadioCard
                key={offering.key}
                name={name}
                value={offering.key}
                checked={offering.key === chosen?.key}
                onChange={() => setKey(offering.key)}
                title={nameOf(offering)}
                text={text(offering)}
                price={formats.money(offering.basePrice, offering.currency)}
              />
            ))}
            {hidden > 0 && (
              <Button look="quiet" onClick={() => setAll(true)}>
                {t("watch.moreWays", { number: hidden })}
              </Button>
            )}
          </fieldset>
        )}
        {chosen && (
          <PriceSum
            lines={[
              { key: "base", label: lines[chosen.kind], amount: money(chosen.basePrice) },
              { key: "fee", label: t("buy.fee"), amount: money(chosen.serviceFee) },
            ]}
            total={{ label: t("buy.total"), amount: money(chosen.basePrice + chosen.serviceFee) }}
          />
        )}
        {!loggedIn && <p className="muted type-meta">{free ? t("watch.registerText") : t("watch.anonymousText")}</p>}
        {action && (
          <ButtonLink look="primary" size="big" block to={action.to} state={action.state} capitals={action.capitals}>
            {action.label}
          </ButtonLink>
        )}
        {!loggedIn && online && (
          <ButtonLink block to={linkTo(free ? "login" : "registration")} state={{ from: pathname }}>
            {free ? t("nav.login") : t("nav.register")}
          </ButtonLink>
        )}
        {chosen && <p className="muted type-meta">{t("buy.final")}</p>}
      </section>
      {!inView && action && (
        <div className="watch__bar">
          {chosen && (
            <p className="type-meta">
              <b className="figures">{money(chosen.basePrice + chosen.serviceFee)}</b>
              {t("buy.total")}
            </p>
          )}
          <ButtonLink look="primary" to={action.to} state={action.state} block={!chosen}>
            {action.label}
          </ButtonLink>
        </div>
      )}
    </>
  );
}
