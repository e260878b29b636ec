import type { CSSProperties } from "react";
import { Button, ButtonLink } from "../../components/basic/Button";
import { Empty } from "../../components/basic/Empty";
import { useNow } from "../../components/basic/now";
import { CardSkeletons } from "../../components/basic/Skeleton";
import { FixtureRow } from "../../components/event/FixtureRow";
import { NextUp } from "../../components/event/NextUp";
import { Heart } from "../../components/event/TeamCard";
import { Crest } from "../../components/picture/Crest";
import { SectionHeading } from "../../components/text/SectionHeading";
import type { EventFilter, FavouriteType, Id } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { isolated } from "../../lib/isolated";
import { linkTo } from "../../navigation";
import { useStatus } from "../events/useStatus";
import { useEventView } from "../eventViews";
import { FailedRead } from "../FailedRead";
import { HideScores } from "../HideScores";
import { RailSection } from "../home/HomeRails";
import { dayLabel } from "../search/dayLabel";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useFavourites } from "../useFavourites";
import { useOffered } from "../useOffered";
import { useShare } from "../useShare";
import { Calendar } from "./Calendar";
import { Record } from "./Record";
import { ResultRow } from "./ResultRow";
import { SchoolTeams } from "./SchoolTeams";
import { TeamPass } from "./TeamPass";
import "./TeamPage.css";

/** The calendar's call. */
const CALENDAR = "calendar/{of}/{id}";
/** Number of rows for upcoming games, and for results. */
const ROWS = 6;
/** Maximum number of finished games in a record. */
const RESULTS = 100;

/** A team or a school. */
export interface Subject {
  readonly kind: "participant" | "group";
  readonly id: Id;
  /** The short name, for crest and colour. */
  readonly short: string;
  readonly name: string;
  /** "Men’s hockey", "School". */
  readonly about: string;
  readonly league: string;
  readonly color: string;
  readonly crest: string | null;
  readonly path: string;
  /** A team's school, if it has one. */
  readonly school: Id | null;
  readonly favourite: readonly [FavouriteType, Id];
  readonly filter: EventFilter;
}

interface TeamPageProps {
  readonly subject: Subject;
  /** The heading's level: 2 below slides with their own heading. */
  readonly level: 1 | 2;
}

function Head({ subject, level }: TeamPageProps) {
  const { t } = useTexts();
  const favourites = useFavourites();
  const share = useShare();
  const hasCalendar = useOffered(CALENDAR);
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <header className="team-head" style={{ "--team": subject.color } as CSSProperties}>
      <div className="wrap team-head__row">
        <Crest className="team-head__crest" name={subject.short} color={subject.color} image={subject.crest} />
        <div className="team-head__words">
          <p className="type-label">{subject.about}</p>
          <Heading className="type-fixture">
            <bdi>{subject.name}</bdi>
          </Heading>
          {subject.league !== "" && <p>{subject.league}</p>}
        </div>
        <div className="team-head__acts">
          <Heart name={subject.name} {...favourites(...subject.favourite)} />
          {hasCalendar && (
            <ButtonLink icon="calendar" to={`${subject.path}#calendar`}>
              {t("team.calendar")}
            </ButtonLink>
          )}
          <Button icon="share" label={t("common.share")} onClick={() => share(subject.name, subject.path)} />
        </div>
      </div>
    </header>
  );
}

/** A team's or school's page: profile, upcoming games, results, recordings, and ways to follow it (TEAM-1). */
export function TeamPage({ subject, level }: TeamPageProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(60_000);
  const view = useEventView();
  const hasCalendar = useOffered(CALENDAR);
  // A school's teams share its name.
  useDocumentTitle(subject.kind === "participant" ? `${isolated(subject.name)} · ${subject.about}` : subject.name);
  const live = useStatus(subject.filter, "live", ROWS);
  const upcoming = useStatus(subject.filter, "upcoming", ROWS + 1);
  const finished = useStatus(subject.filter, "finished", RESULTS);
  const [next, ...others] = upcoming.events;
  const results = finished.events.filter(({ score }) => score !== undefined);
  const none = live.events.length + upcoming.events.length + finished.events.length === 0;
  const failed = [live, upcoming, finished].find((one) => one.failed);
  const waits = none && !(live.done && upcoming.done && finished.done);
  const team = subject.kind === "participant" ? subject.id : null;
  const query = `${team === null ? "school" : "team"}=${subject.id}`;
  return (
    <div className="team">
      <Head subject={subject} level={level} />
      <div className="wrap">
        {/* Of some stored events a record would be wrong. */}
        {team !== null && finished.total !== null && (
          <Record events={finished.events} team={team} toCome={upcoming.total ?? 0} />
        )}
        <div className="team__columns">
          <div className="team__main">
            {waits ? (
              <CardSkeletons count={3} />
            ) : none && failed ? (
              <FailedRead onRetry={failed.retry} />
            ) : (
              none && <Empty title={t("home.emptyTitle")} text={t("home.emptyText")} />
            )}
            <RailSection id="live" title={t("home.liveNow")} total={live.total} events={live.events.map(view)} />
            {next && (
              <section className="team__section team__next" aria-label={t("home.nextUp")}>
                <NextUp event={view(next)} />
                {others.length === 0 && (
                  <ButtonLink look="quiet" to={`/schedule?${query}`}>
                    {t("team.allGames")}
                  </ButtonLink>
                )}
              </section>
            )}
            {others.length > 0 && (
              <section className="team__section" aria-labelledby="upcoming">
                <SectionHeading
                  id="upcoming"
                  title={t("home.upcoming")}
                  count={upcoming.total === null ? undefined : formats.count(upcoming.total)}
                  more={{ to: `/schedule?${query}`, label: t("team.allGames") }}
                />
                <ul>
                  {others.map(view).map((event) => (
                    <FixtureRow key={event.id} event={event} day={dayLabel(event, now, formats, t)} />
                  ))}
                </ul>
              </section>
            )}
            {results.length > 0 && (
              <section className="team__section" aria-labelledby="results">
                <div className="section-heading">
                  <h2 className="type-section" id="results">
                    {t("team.results")}
                  </h2>
                  <span className="muted figures">{formats.count(results.length)}</span>
                  <span className="section-heading__more">
                    <HideScores />
                  </span>
                </div>
                <ul>
                  {results.slice(0, ROWS).map((event) => (
                    <ResultRow key={event.id} event={event} team={team} />
                  ))}
                </ul>
              </section>
            )}
          </div>
          <aside className="team__aside">
            {team !== null && <TeamPass team={team} name={subject.name} />}
            {hasCalendar && <Calendar subject={subject} />}
            {subject.school !== null && <SchoolTeams school={subject.school} except={team} />}
          </aside>
        </div>
        <RailSection
          id="finished"
          title={t("team.recordings")}
          total={finished.total}
          events={finished.events.slice(0, 2 * ROWS).map(view)}
          more={{ to: `/vod?${query}`, label: t("home.allOnDemand") }}
        />
        <p className="section">
          <ButtonLink look="quiet" icon="chevronLeft" to={linkTo("home")}>
            {t("team.everything")}
          </ButtonLink>
        </p>
      </div>
    </div>
  );
}
