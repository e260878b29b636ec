import { useLocation } from "react-router";
import { ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { useNow } from "../../components/basic/now";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { initialsOf } from "../../components/picture/Crest";
import { floorOf } from "../../components/picture/floor";
import { PackageCard, type PackageView } from "../../components/shop/PackageCard";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { Package, Subscription } from "../../contracts/resources";
import type { Translate } from "../../i18n/texts";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo, routes } from "../../navigation";
import { selectLoggedIn } from "../../slices/auth";
import { selectCategories, selectPackagesById, selectSubscriptions } from "../../slices/catalogue";
import { selectOnline } from "../../slices/network";
import { owns, packagePurchased, selectOrdersById, selectPastDue } from "../../slices/orders";
import { selectAnswer } from "../../slices/transient";
import { selectGeoBlocked, selectTrialAvailable } from "../../slices/user";
import { categoryPath } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { RegionActions } from "../RegionActions";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useCountry } from "../useCountry";
import { useReads } from "../useRead";
import { periodOf } from "../watch/offers";
import { SideBySide } from "./SideBySide";
import { TeamPassChoice } from "./TeamPassChoice";
import { holdsUntil, savedBy, useContents, useContentsReads } from "./useContents";
import "./Packages.css";

const COLOURS = ["#1f4a8a", "#7c3f1d", "#15573a", "#7a1937", "#0d6f72", "#47566b"] as const;

function useViews() {
  const { t } = useTexts();
  const formats = useFormats();
  const categories = useAppSelector(selectCategories);
  const orders = Object.values(useAppSelector(selectOrdersById));
  const pastDue = useAppSelector(selectPastDue);
  // For a visitor, trial use is unknown until login.
  const loggedIn = useAppSelector(selectLoggedIn);
  const trialAvailable = useAppSelector(selectTrialAvailable) || !loggedIn;
  const colour = (id: number) => COLOURS[id % COLOURS.length] ?? COLOURS[0];
  const fee = (minor: number, currency: string) =>
    minor > 0 ? t("packages.plusFee", { fee: formats.money(minor, currency) }) : null;
  const contentOf = useContents();
  const now = useNow(3_600_000);
  const contentsOf = (item: Package): Pick<PackageView, "facts" | "note"> => {
    const content = item.is_team_pass ? null : contentOf(item);
    const hasGames = content !== null && content.events > 0;
    const until = holdsUntil(item, now);
    const saved = savedBy(item, content);
    const facts = [
      ...(hasGames ? [{ label: t("compare.gamesRow"), value: formats.count(content.events) }] : []),
      ...(until === null ? [] : [{ label: t("compare.untilRow"), value: formats.date(until) }]),
      ...(saved > 0 ? [{ label: t("compare.savesRow"), value: formats.money(saved, item.currency) }] : []),
    ];
    return { facts, note: content && !hasGames ? t("compare.noGames") : null };
  };
  const ofPackage = (item: Package): PackageView => {
    const [first] = item.event_categories;
    const sport = first === undefined ? undefined : categoryPath(categories, first)[0]?.sport;
    return {
      id: `package/${item.id}`,
      name: item.name,
      kind: kindOf(item, t),
      text: item.description,
      price: formats.money(item.base_price, item.currency),
      period: "",
      fee: fee(item.service_fee, item.currency),
      trial: null,
      ...contentsOf(item),
      owned: packagePurchased(item),
      picture: {
        kind: "figure",
        floor: floorOf(sport),
        figure: initialsOf(item.name).slice(0, 1),
        color: colour(item.id),
      },
      to: linkTo("selectPackage", { id: item.id }),
      action: item.is_team_pass ? t("packages.chooseTeam") : t("packages.choose"),
    };
  };
  const ofSubscription = (item: Subscription): PackageView => {
    // A subscription with a failed renewal is paid with another card instead of being bought again (SUB-6).
    const isPastDue = pastDue?.product.id === item.id;
    const trial = item.trial_period > 0 && trialAvailable && !isPastDue;
    return {
      id: `subscription/${item.id}`,
      name: item.name,
      kind: t("buy.subscription"),
      text: item.description || (periodOf(item) === "year" ? t("packages.renewAnnual") : t("packages.renewMonthly")),
      price: formats.money(item.base_price, item.currency),
      period: periodOf(item) === "year" ? t("packages.annual") : t("packages.monthly"),
      fee: fee(item.service_fee, item.currency),
      trial: trial ? t("packages.trial", { count: item.trial_period }) : null,
      facts: [],
      note: null,
      owned:
        !isPastDue &&
        orders.some((order) => order.type === "subscription" && order.product.id === item.id && owns(order)),
      picture: {
        kind: "figure",
        floor: "track",
        figure: initialsOf(item.name).slice(0, 1),
        color: colour(item.id),
        ink: "#f4b942",
      },
      to: isPastDue
        ? linkTo("activeOrders")
        : linkTo("buy", {}, { type: trial ? "trial" : "subscription", subscription_id: item.id }),
      action: isPastDue ? t("orders.otherCard") : trial ? t("packages.startTrial") : t("packages.choose"),
    };
  };
  return { ofPackage, ofSubscription };
}

/** A package's kind; passes by their duration. */
function kindOf({ is_team_pass, offer, type }: Package, t: Translate): string {
  if (is_team_pass) return t("packages.teamPass");
  if (type !== "pass") return t("buy.package");
  return offer === "season" || offer === "weekend" ? t(`packages.${offer}`) : t("packages.pass");
}

function Cards({ items }: { readonly items: readonly PackageView[] }) {
  return (
    <div className="packages__grid">
      {items.map((item) => (
        <PackageCard key={item.id} item={item} />
      ))}
    </div>
  );
}

function Shelf({
  id,
  title,
  text,
  more,
  items,
}: {
  id: string;
  title: string;
  text?: string;
  more?: { readonly to: string; readonly label: string };
  items: readonly PackageView[];
}) {
  if (items.length === 0) return null;
  return (
    <section className="section" aria-labelledby={id}>
      <SectionHeading id={id} title={title} more={more} />
      {text !== undefined && <p className="muted type-meta">{text}</p>}
      <Cards items={items} />
    </section>
  );
}

/** Everything on sale: passes, subscriptions and packages; only passes at `/passes` (PKG, SUB). */
export function Component() {
  const { t } = useTexts();
  const onlyPasses = useLocation().pathname === routes.passes.path;
  const loggedIn = useAppSelector(selectLoggedIn);
  const contentsReads = useContentsReads();
  const { at, retry } = useReads([
    { method: "api.listPackages", args: {} },
    ...contentsReads,
    { method: "api.listSubscriptions", args: {} },
    ...(loggedIn ? ([{ method: "api.listOrders", args: {} }] as const) : []),
  ]);
  const packages = Object.values(useAppSelector(selectPackagesById))
    .filter(({ type }) => type !== "single_event")
    .sort((a, b) => a.weight - b.weight);
  const subscriptions = [...useAppSelector(selectSubscriptions)].sort((a, b) => a.weight - b.weight);
  const { ofPackage, ofSubscription } = useViews();
  const blocked = useAppSelector(selectGeoBlocked);
  const country = useCountry();
  const title = onlyPasses ? t("packages.passes") : t("packages.title");
  useDocumentTitle(title);
  const passes = packages.filter(({ type, is_team_pass }) => type === "pass" || is_team_pass);
  const others = packages.filter((item) => !passes.includes(item));
  const online = useAppSelector(selectOnline);
  // Waits for the packages' contents, which would otherwise shift the cards. Offline, nothing loads.
  const contents = useAppSelector(selectAnswer("api.listPackageContents", {}));
  const isReady = contents !== null || contentsReads.length === 0 || at === "failed" || !online;
  const nothing = passes.length === 0 && (onlyPasses || subscriptions.length + others.length === 0);
  return (
    <div className="wrap packages">
      <h1 className="type-page">{title}</h1>
      <p className="type-lead muted">{onlyPasses ? t("packages.passesText") : t("packages.text")}</p>
      {blocked ? (
        <div className="section">
          <Empty
            title={t("event.blocked")}
            text={country === null ? t("buy.blockedText") : t("buy.blockedIn", { country })}
          >
            <RegionActions onCheck={retry} />
          </Empty>
        </div>
      ) : nothing || !isReady ? (
        nothing && at === "failed" ? (
          <FailedRead onRetry={retry} />
        ) : at !== "loaded" ? (
          <div className="section">
            <CardSkeletons count={4} />
          </div>
        ) : (
          <div className="section">
            <Empty title={t("packages.emptyTitle")} text={t("packages.emptyText")} />
          </div>
        )
      ) : (
        <>
          {passes
            .filter((item) => item.is_team_pass && !packagePurchased(item))
            .map((item) => (
              <TeamPassChoice key={item.id} item={item} />
            ))}
          {onlyPasses ? (
            <>
              <Cards items={passes.map(ofPackage)} />
              <ButtonLink look="quiet" to={linkTo("packages")}>
                {t("packages.all")}
              </ButtonLink>
            </>
          ) : (
            <>
              <Shelf
                id="passes"
                title={t("packages.passes")}
                more={{ to: linkTo("passes"), label: t("packages.onlyPasses") }}
                text={t("packages.passesText")}
                items={passes.map(ofPackage)}
              />
              <Shelf id="subscriptions" title={t("packages.subscriptions")} items={subscriptions.map(ofSubscription)} />
              <Shelf id="bundles" title={t("packages.bundles")} items={others.map(ofPackage)} />
            </>
          )}
          <SideBySide packages={onlyPasses ? passes : packages} subscriptions={onlyPasses ? [] : subscriptions} />
          <p className="section muted type-meta">{t("buy.final")}</p>
        </>
      )}
    </div>
  );
}
