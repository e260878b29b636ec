import { useDeferredValue, useId, useState } from "react";
import { ButtonLink } from "../../components/basic/Button";
import { useNow } from "../../components/basic/now";
import { Field } from "../../components/form/Field";
import { Crest } from "../../components/picture/Crest";
import type { Package, Participant } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { folded } from "../../lib/folded";
import { linkTo } from "../../navigation";
import { selectCategories, selectParticipants } from "../../slices/catalogue";
import { useAppSelector } from "../state";
import { teamKind } from "../team/teamKind";
import { Saving } from "./Saving";
import { gamesText, holdsUntil, savedBy, useContents } from "./useContents";

/** Maximum number of listed teams; a search finds the others. */
const MAX_TEAMS = 6;

/** A team pass with a team search, and its games and savings for the selected team (PKG-3, PKG-4). */
export function TeamPassChoice({ item }: { readonly item: Package }) {
  const { t } = useTexts();
  const formats = useFormats();
  const id = useId();
  const now = useNow(3_600_000);
  const categories = useAppSelector(selectCategories);
  const participants = useAppSelector(selectParticipants);
  const contentOf = useContents();
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<number | null>(null);
  const wanted = folded(useDeferredValue(query)).split(/\s+/).filter(Boolean);
  const teams = participants.filter((team) => item.participants.includes(team.id));
  const fits = (team: Participant) => {
    const nameTokens = folded(`${team.name} ${teamKind(team, categories, t)}`).split(/[\s’'-]+/);
    return wanted.every((one) => nameTokens.some((word) => word.startsWith(one)));
  };
  const found = teams.filter(fits);
  const team = teams.find((one) => one.id === chosen);
  const content = contentOf(item, team?.id);
  const until = holdsUntil(item, now);
  const money = (minor: number) => formats.money(minor, item.currency);
  const isSoldOut = (one: Participant) => item.disabled_participants.includes(one.id);
  const to = linkTo("selectPackage", { id: item.id }, { participant_id: team?.id });
  return (
    <section className="team-choice" aria-labelledby={id}>
      <div className="team-choice__search">
        <h2 className="type-section" id={id}>
          <bdi>{item.name}</bdi>
        </h2>
        <p className="muted">
          {item.description} {until !== null && t("compare.paidOnce", { date: formats.date(until) })}
        </p>
        <Field
          label={t("compare.whichTeam")}
          icon="search"
          type="search"
          autoComplete="off"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <fieldset className="team-choice__teams" aria-label={t("compare.whichTeam")}>
          {found.slice(0, MAX_TEAMS).map((one) => {
            const games = contentOf(item, one.id)?.events;
            return (
              <label key={one.id} className="team-choice__team">
                <input
                  type="radio"
                  className="visually-hidden"
                  name={`team-of-${item.id}`}
                  checked={one.id === chosen}
                  disabled={isSoldOut(one)}
                  onChange={() => setChosen(one.id)}
                />
                <Crest
                  className="team-card__crest"
                  name={one.short_name}
                  color={one.color}
                  image={one.images[0] ?? null}
                />
                <span className="team-choice__words">
                  <b className="team-card__name">
                    <bdi>{one.name}</bdi>
                  </b>
                  <span className="type-meta muted">{teamKind(one, categories, t)}</span>
                </span>
                <span className="type-meta muted figures">
                  {isSoldOut(one) ? t("packages.sold") : games !== undefined && t("compare.games", { count: games })}
                </span>
              </label>
            );
          })}
        </fieldset>
        <p className="type-meta muted" role="status">
          {found.length === 0
            ? t("compare.noTeam", { words: query })
            : found.length > MAX_TEAMS && t("compare.moreTeams", { count: found.length - MAX_TEAMS })}
        </p>
      </div>
      <div className="panel team-choice__sum">
        {team && content ? (
          <>
            <Crest
              className="team-choice__crest"
              name={team.short_name}
              color={team.color}
              image={team.images[0] ?? null}
            />
            <h3 className="type-section">
              <bdi>{team.name}</bdi>
            </h3>
            <p className="muted">
              {teamKind(team, categories, t)} · {gamesText(t, content)}
            </p>
            <Saving singly={money(content.singly)} saved={savedBy(item, content)} money={money} />
          </>
        ) : (
          <p className="muted">{t("compare.chooseFirst")}</p>
        )}
        <div className="team-choice__act">
          <ButtonLink look={team ? "primary" : "second"} block to={to}>
            {team ? t("buy.buyFor", { price: money(item.price) }) : t("packages.chooseTeam")}
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}
