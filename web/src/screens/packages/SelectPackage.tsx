import { type ReactNode, useState } from "react";
import { useLocation, useParams, useSearchParams } from "react-router";
import { Chip } from "../../components/basic/Badge";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { useNow } from "../../components/basic/now";
import { Touchline } from "../../components/basic/Touchline";
import { FormAlert } from "../../components/form/FormAlert";
import { Crest } from "../../components/picture/Crest";
import { Loader } from "../../components/shell/Loader";
import { PriceSum } from "../../components/shop/PriceSum";
import type { Package, Participant } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { isolated } from "../../lib/isolated";
import { idOf, linkTo } from "../../navigation";
import { selectLoggedIn } from "../../slices/auth";
import { selectCategories, selectPackage, selectParticipants } from "../../slices/catalogue";
import { packagePurchased } from "../../slices/orders";
import { selectGeoBlocked } from "../../slices/user";
import { categoryPath } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { RegionActions } from "../RegionActions";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { useRead } from "../useRead";
import { Saving } from "./Saving";
import { TeamPicker } from "./TeamPicker";
import { gamesText, holdsUntil, savedBy, useContents } from "./useContents";
import "./Packages.css";

/** A package's page: contents, team choice for a team pass, and total price (PKG-3). */
export function Component() {
  const { t } = useTexts();
  const id = Number(useParams().id);
  const { at, missing: gone, retry } = useRead({ method: "api.getPackage", args: { id } });
  const item = useAppSelector(selectPackage(id));
  useDocumentTitle(item?.name ?? t("packages.selectTitle"));
  if (item) return <Choice item={item} onCheck={retry} />;
  return (
    <div className="wrap">
      {at === "failed" && !gone ? (
        <FailedRead onRetry={retry} />
      ) : at === "loaded" || gone ? (
        <div className="section">
          <Empty title={t("buy.nothing")} text={t("buy.nothingText")}>
            <ButtonLink to={linkTo("packages")}>{t("list.seePackages")}</ButtonLink>
          </Empty>
        </div>
      ) : (
        <Loader label={t("common.loading")} />
      )}
    </div>
  );
}

/** The selected team, above its price. */
function ChosenTeam({ team }: { readonly team: Participant }) {
  return (
    <div className="chosen-team">
      <div className="chosen-team__crest">
        <Crest name={team.short_name} color={team.color} image={team.images[0] ?? null} />
      </div>
      <Touchline state={{ kind: "upcoming" }} />
    </div>
  );
}

interface PressProps {
  readonly item: Package;
  readonly team: Participant | null;
  readonly needsTeam: boolean;
  readonly onMissing: () => void;
  /** Whether it is in the bottom bar of a phone or in the panel. */
  readonly isBar?: boolean;
}

/** The button: to the login, to the missing team choice, or to checkout. */
function BuyPress({ item, team, needsTeam, onMissing, isBar = false }: PressProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const { pathname } = useLocation();
  const loggedIn = useAppSelector(selectLoggedIn);
  const price = formats.money(item.base_price + item.service_fee, item.currency);
  const look = isBar ? ({ look: "primary" } as const) : ({ look: "primary", size: "big", block: true } as const);
  const label = team ? t("packages.buyTeam", { team: team.short_name, price }) : t("buy.buyFor", { price });
  if (!loggedIn)
    return (
      <ButtonLink {...look} to={linkTo("login")} state={{ from: pathname }}>
        {t("nav.login")}
      </ButtonLink>
    );
  if (needsTeam && team === null)
    return (
      <Button {...look} onClick={onMissing}>
        {t("packages.chooseTeam")}
      </Button>
    );
  const to = linkTo("buy", {}, { type: "package", package_id: item.id, participant_id: team?.id });
  return (
    <ButtonLink {...look} to={to}>
      {label}
    </ButtonLink>
  );
}

function Choice({ item, onCheck }: { readonly item: Package; readonly onCheck: () => void }) {
  const { t } = useTexts();
  const formats = useFormats();
  const participants = useAppSelector(selectParticipants);
  const categories = useAppSelector(selectCategories);
  const blocked = useAppSelector(selectGeoBlocked);
  const [params] = useSearchParams();
  const [chosen, setChosen] = useState(idOf(params.get("participant_id")));
  /** Presses of the button without a team. */
  const [attempts, setAttempts] = useState(0);
  const teams = item.is_team_pass ? participants.filter((one) => item.participants.includes(one.id)) : [];
  const team = teams.find((one) => one.id === chosen) ?? null;
  const covered = item.event_categories.flatMap((category) => categoryPath(categories, category).at(-1)?.name ?? []);
  const money = (minor: number) => formats.money(minor, item.currency);
  const content = useContents()(item, team?.id);
  const games = content && gamesText(t, content);
  const until = holdsUntil(item, useNow(3_600_000));
  const price = money(item.base_price + item.service_fee);
  const owned = packagePurchased(item);
  const needsTeam = teams.length > 0;
  const sells = !owned && !blocked;
  const press = (isBar: boolean): ReactNode => (
    <BuyPress item={item} team={team} needsTeam={needsTeam} isBar={isBar} onMissing={() => setAttempts(attempts + 1)} />
  );
  return (
    <div className="wrap select-package">
      <div className="stack select-package__choice">
        <div>
          <ButtonLink look="quiet" icon="chevronLeft" className="buy__back" to={linkTo("packages")}>
            {t("buy.back.packages")}
          </ButtonLink>
          <h1 className="type-page">
            <bdi>{needsTeam ? t("packages.whose") : item.name}</bdi>
          </h1>
        </div>
        <p className="type-lead muted reading">
          {needsTeam ? t("packages.whoseText", { name: item.name, price }) : item.description}
        </p>
        {covered.length > 0 && <p>{t("packages.includes", { what: covered.join(", ") })}</p>}
        {attempts > 0 && team === null && <FormAlert refusal={attempts}>{t("server.teamNotSelected")}</FormAlert>}
        {needsTeam && (
          <TeamPicker
            item={item}
            teams={teams}
            chosen={chosen}
            onChoose={(id) => {
              setChosen(id);
              setAttempts(0);
            }}
          />
        )}
      </div>
      <aside className="panel stack select-package__panel">
        {blocked && !owned ? (
          <>
            <h2 className="type-section">{t("event.blocked")}</h2>
            <RegionActions onCheck={onCheck} />
          </>
        ) : owned ? (
          <Chip tone="success" icon="check">
            {t("packages.owned")}
          </Chip>
        ) : (
          <>
            {team && (
              <>
                <ChosenTeam team={team} />
                <div>
                  <h2 className="type-card">
                    <bdi>{team.name}</bdi>
                  </h2>
                  <p className="type-meta muted">
                    {item.description} {until !== null && t("compare.paidOnce", { date: formats.date(until) })}
                  </p>
                </div>
              </>
            )}
            {content && (
              <div>
                <p>{games}</p>
                <Saving singly={money(content.singly)} saved={savedBy(item, content)} money={money} />
              </div>
            )}
            <PriceSum
              lines={[
                {
                  key: "base",
                  label: needsTeam ? t("packages.teamPass") : t("buy.package"),
                  amount: money(item.base_price),
                },
                { key: "fee", label: t("buy.fee"), amount: money(item.service_fee) },
              ]}
              total={{ label: t("buy.total"), amount: price }}
            />
            <p className="type-meta muted">{t("packages.once")}</p>
            {press(false)}
            <p className="type-meta muted">{t("buy.final")}</p>
          </>
        )}
      </aside>
      {sells && needsTeam && (
        <div className="select-package__bar">
          <div className="select-package__bar-what">
            <b>
              <bdi>{team ? team.short_name : t("packages.noTeamYet")}</bdi>
            </b>
            <small className="type-meta muted figures">
              {team ? (games ?? isolated(team.name)) : t("packages.passFor", { name: item.name, price })}
            </small>
          </div>
          {press(true)}
          <small className="muted select-package__bar-final">{t("buy.final")}</small>
        </div>
      )}
    </div>
  );
}
