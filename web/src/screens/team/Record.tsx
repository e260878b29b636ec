import { useState } from "react";
import { Button } from "../../components/basic/Button";
import type { Event, Id } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { selectPreference } from "../../slices/preferences";
import { HIDE_SCORES } from "../eventViews";
import { useAppSelector } from "../state";
import { recordOf, resultOf, tallyText } from "./record";

/** The season's record: wins and losses overall, at home and away, and a bar per game, oldest first (SCORE-3). */
export function Record({
  events,
  team,
  toCome,
}: {
  readonly events: readonly Event[];
  readonly team: Id;
  readonly toCome: number;
}) {
  const { t } = useTexts();
  const formats = useFormats();
  const hides = useAppSelector(selectPreference(HIDE_SCORES)) === "1";
  const [isRevealed, setRevealed] = useState(false);
  const record = recordOf(events, team);
  if (!record) return null;
  if (hides && !isRevealed) {
    return (
      <div className="team-record">
        <Button size="small" onClick={() => setRevealed(true)}>
          {t("team.showRecord")}
        </Button>
      </div>
    );
  }
  const games = events.flatMap((event) => resultOf(event, team)?.result ?? []).toReversed();
  const figures = [
    { key: "all", label: t("team.record"), text: tallyText(record.all) },
    { key: "home", label: t("team.atHome"), text: tallyText(record.home) },
    { key: "away", label: t("team.away"), text: tallyText(record.away) },
  ];
  return (
    <section className="team-record" aria-label={t("team.record")}>
      <dl className="team-record__figures">
        {figures.map(({ key, label, text }) => (
          <div key={key}>
            <dt className="type-meta muted">{label}</dt>
            <dd className="team-record__figure figures">{text}</dd>
          </div>
        ))}
      </dl>
      <div className="team-record__season">
        <div className="team-record__bars" aria-hidden="true">
          {games.map((result, at) => (
            <i key={at} className={`team-record__bar team-record__bar--${result}`} />
          ))}
          {toCome > 0 && <i className="team-record__rest" style={{ flexGrow: Math.min(toCome, 40) }} />}
        </div>
        <p className="type-meta muted figures">
          {[
            t("team.wonCount", { count: record.all.won }),
            t("team.lostCount", { count: record.all.lost }),
            record.all.drawn > 0 && t("team.drawnCount", { count: record.all.drawn }),
            toCome > 0 && t("team.toCome", { games: formats.count(toCome) }),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
    </section>
  );
}
