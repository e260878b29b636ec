import { useState } from "react";
import { useLocation, useParams } from "react-router";
import { Chip } from "../../components/basic/Badge";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { FieldError } from "../../components/form/Field";
import { RadioCard } from "../../components/form/RadioCard";
import { Crest } from "../../components/picture/Crest";
import { Loader } from "../../components/shell/Loader";
import { PriceSum } from "../../components/shop/PriceSum";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
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
import "./Packages.css";

/** One package before it is bought: what it covers, for a team pass the team, and the whole price (PKG-3). */
export function Component() {
  const { t } = useTexts();
  const formats = useFormats();
  const { pathname } = useLocation();
  const id = Number(useParams().id);
  const { at, missing: gone, retry } = useRead({ method: "api.getPackage", args: { id } });
  const item = useAppSelector(selectPackage(id));
  const participants = useAppSelector(selectParticipants);
  const categories = useAppSelector(selectCategories);
  const loggedIn = useAppSelector(selectLoggedIn);
  const blocked = useAppSelector(selectGeoBlocked);
  const [team, setTeam] = useState<number | null>(null);
  const [missing, setMissing] = useState(false);
  useDocumentTitle(item?.name ?? t("packages.selectTitle"));
  if (!item) {
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
  const teams = item.is_team_pass ? participants.filter((one) => item.participants.includes(one.id)) : [];
  const covered = item.event_categories.flatMap((category) => categoryPath(categories, category).at(-1)?.name ?? []);
  const money = (minor: number) => formats.money(minor, item.currency);
  const total = money(item.base_price + item.service_fee);
  const to = linkTo("buy", {}, { type: "package", package_id: item.id, participant_id: team ?? undefined });
  return (
    <div className="wrap select-package">
      <div className="stack">
        <div>
          <ButtonLink look="quiet" icon="chevronLeft" className="buy__back" to={linkTo("packages")}>
            {t("buy.back.packages")}
          </ButtonLink>
          <h1 className="type-page">{item.name}</h1>
        </div>
        <p className="type-lead muted reading">{item.description}</p>
        {covered.length > 0 && <p>{t("packages.includes", { what: covered.join(", ") })}</p>}
        {teams.length > 0 && (
          <fieldset className="choices">
            <legend className="type-label">{t("packages.chooseTeam")}</legend>
            {missing && <FieldError>{t("server.teamNotSelected")}</FieldError>}
            <div className="select-package__teams">
              {teams.map((one) => {
                const taken = item.disabled_participants.includes(one.id);
                return (
                  <RadioCard
                    key={one.id}
                    name="team"
                    value={one.id}
                    checked={team === one.id}
                    disabled={taken}
                    onChange={() => {
                      setTeam(one.id);
                      setMissing(false);
                    }}
                    title={one.name}
                    text={
                      taken
                        ? t("packages.sold")
                        : [
                            one.properties.gender === "male" || one.properties.gender === "female"
                              ? t(`event.genderName.${one.properties.gender}`)
                              : null,
                            one.properties.sport,
                          ]
                            .filter(Boolean)
                            .join(", ")
                    }
                    price=""
                    icon={
                      <Crest
                        name={one.short_name}
                        color={one.color}
                        image={one.images[0] ?? null}
                        className="team-card__crest"
                      />
                    }
                  />
                );
              })}
            </div>
          </fieldset>
        )}
      </div>
      <aside className="panel stack">
        {blocked && !packagePurchased(item) ? (
          <>
            <h2 className="type-section">{t("event.blocked")}</h2>
            <RegionActions onCheck={retry} />
          </>
        ) : packagePurchased(item) ? (
          <Chip tone="success" icon="check">
            {t("packages.owned")}
          </Chip>
        ) : (
          <>
            <PriceSum
              lines={[
                { key: "base", label: t("buy.package"), amount: money(item.base_price) },
                { key: "fee", label: t("buy.fee"), amount: money(item.service_fee) },
              ]}
              total={{ label: t("buy.total"), amount: total }}
            />
            <p className="type-meta muted">{t("packages.once")}</p>
            {!loggedIn ? (
              <ButtonLink look="primary" size="big" block to={linkTo("login")} state={{ from: pathname }}>
                {t("nav.login")}
              </ButtonLink>
            ) : teams.length > 0 && team === null ? (
              <Button look="primary" size="big" block onClick={() => setMissing(true)}>
                {t("buy.buyFor", { price: total })}
              </Button>
            ) : (
              <ButtonLink look="primary" size="big" block to={to}>
                {t("buy.buyFor", { price: total })}
              </ButtonLink>
            )}
            <p className="type-meta muted">{t("buy.final")}</p>
          </>
        )}
      </aside>
    </div>
  );
}
