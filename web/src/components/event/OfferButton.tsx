import { useTexts } from "../../i18n/useTexts";
import { Button, ButtonLink } from "../basic/Button";
import type { EventView } from "./eventView";

interface OfferButtonProps {
  readonly event: EventView;
  /** `act` on cards and heroes says Watch; `row` in lists says Buy or Details. */
  readonly variant: "act" | "row";
  readonly primary?: boolean;
  readonly big?: boolean;
}

/** Whether an event's button only leads to its page. */
export function saysDetails({ offer, status }: EventView): boolean {
  const price = offer.kind === "buy" || offer.kind === "login" ? offer.price : null;
  if (offer.kind === "blocked") return true;
  return price === null && (offer.kind === "buy" || (status === "upcoming" && offer.kind !== "offline"));
}

/** An event's button, according to the viewer's access. */
export function OfferButton({ event, variant, primary, big }: OfferButtonProps) {
  const { t } = useTexts();
  const { offer } = event;
  const look = primary ? "primary" : "second";
  const size = big ? "big" : variant === "row" ? "small" : "normal";
  const shape = { look, size, block: variant === "act" && !big } as const;
  const { to } = event;
  if (offer.kind === "offline") {
    return (
      <Button {...shape} icon="offline" disabled>
        {t("offline.needsConnection")}
      </Button>
    );
  }
  const isVisitorOffer = offer.kind === "login" || offer.kind === "register";
  if (event.status === "upcoming" || (variant === "row" && !isVisitorOffer)) {
    const price = offer.kind === "buy" || offer.kind === "login" ? offer.price : null;
    const buys = price !== null;
    if (buys && variant === "act") {
      return (
        <ButtonLink {...shape} to={to}>
          {t("event.buyFor", { price })}
        </ButtonLink>
      );
    }
    const plays =
      event.status !== "upcoming" && (offer.kind === "owned" || offer.kind === "watch" || offer.kind === "free");
    return (
      <ButtonLink {...shape} to={to}>
        {buys ? t("event.buy") : plays ? t("event.watch") : t("event.details")}
      </ButtonLink>
    );
  }
  switch (offer.kind) {
    case "login":
      return (
        <ButtonLink {...shape} to="/login" state={{ from: to }} capitals {...(primary ? { icon: "play" } : {})}>
          {t("event.loginToWatch")}
        </ButtonLink>
      );
    case "register":
      return (
        <ButtonLink {...shape} to="/registration" state={{ from: to }} capitals {...(primary ? { icon: "play" } : {})}>
          {t("event.registerToWatch")}
        </ButtonLink>
      );
    case "buy":
      return (
        <ButtonLink {...shape} to={to}>
          {offer.price === null ? t("event.details") : t("event.buyFor", { price: offer.price })}
        </ButtonLink>
      );
    case "watch":
    case "owned":
    case "free":
      return (
        <ButtonLink {...shape} to={to} icon="play">
          {event.status === "live" ? t("event.watchLive") : t("event.watch")}
        </ButtonLink>
      );
    case "blocked":
      return (
        <ButtonLink {...shape} to={to}>
          {t("event.details")}
        </ButtonLink>
      );
    default:
      return offer satisfies never;
  }
}

/** Returns a short price label for the viewer. */
export function usePriceLabel(): (event: EventView, short?: boolean) => string {
  const { t } = useTexts();
  return ({ offer }, short = false) => {
    switch (offer.kind) {
      case "buy":
      case "login":
        return offer.price ?? "";
      case "register":
        return short ? t("event.registerShort") : t("event.registerFree");
      case "owned":
        return t("event.yours");
      case "free":
      case "watch":
        return t("event.free");
      case "blocked":
        // A row shows it below the event's name.
        return short ? "" : t("event.blocked");
      case "offline":
        return "";
      default:
        return offer satisfies never;
    }
  };
}
