import { useNow } from "../../components/basic/now";
import type { Package, PackageContent, Subscription } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { selectCategories } from "../../slices/catalogue";
import { categoryPath } from "../eventViews";
import { useAppSelector } from "../state";
import { periodOf } from "../watch/offers";
import { holdsUntil, savedBy, useContents } from "./useContents";

interface Column {
  readonly key: string;
  readonly name: string;
  readonly price: string;
  readonly games: string;
  readonly each: string;
  readonly sports: string;
  readonly until: string;
  readonly saves: string;
  readonly library: boolean;
  readonly trial: string;
  readonly renews: string;
}

/** Compares everything on sale: contents, validity and savings (PKG-5). */
export function SideBySide({
  packages,
  subscriptions,
}: {
  readonly packages: readonly Package[];
  readonly subscriptions: readonly Subscription[];
}) {
  const { t } = useTexts();
  const formats = useFormats();
  const now = useNow(3_600_000);
  const categories = useAppSelector(selectCategories);
  const contentOf = useContents();
  const none = "–";
  const gamesOf = ({ events }: PackageContent) => (events > 0 ? formats.count(events) : t("compare.noGames"));
  const ofPackage = (item: Package): Column => {
    const content = item.is_team_pass ? null : contentOf(item);
    const until = holdsUntil(item, now);
    const saved = savedBy(item, content);
    const sports = new Set(item.event_categories.flatMap((id) => categoryPath(categories, id)[0]?.name ?? []));
    return {
      key: `package/${item.id}`,
      name: item.name,
      price: formats.money(item.price, item.currency),
      games: item.is_team_pass ? t("compare.oneTeam") : content ? gamesOf(content) : none,
      each:
        content && content.events > 0 ? formats.money(Math.round(item.price / content.events), item.currency) : none,
      sports: item.is_team_pass
        ? t("compare.oneSport")
        : sports.size === categories.length
          ? t("compare.allSports")
          : [...sports].join(", "),
      until: until === null ? t("compare.forGood") : formats.date(until),
      saves: saved > 0 ? formats.money(saved, item.currency) : none,
      library: false,
      trial: none,
      renews: t("compare.never"),
    };
  };
  const ofSubscription = (item: Subscription): Column => ({
    key: `subscription/${item.id}`,
    name: item.name,
    price: `${formats.money(item.price, item.currency)} ${periodOf(item) === "year" ? t("packages.annual") : t("packages.monthly")}`,
    games: t("compare.allGames"),
    each: none,
    sports: t("compare.allSports"),
    until: t("compare.whileItRuns"),
    saves: none,
    library: true,
    trial: item.trial_period > 0 ? t("packages.trial", { count: item.trial_period }) : none,
    renews: periodOf(item) === "year" ? t("packages.annual") : t("packages.monthly"),
  });
  const columns = [...packages.map(ofPackage), ...subscriptions.map(ofSubscription)];
  const yes = (value: boolean) => (value ? t("compare.yes") : t("compare.no"));
  const rows: readonly (readonly [string, (column: Column) => string])[] = [
    [t("compare.wholePrice"), ({ price }) => price],
    [t("compare.gamesRow"), ({ games }) => games],
    [t("compare.eachGame"), ({ each }) => each],
    [t("compare.sportsRow"), ({ sports }) => sports],
    [t("compare.untilRow"), ({ until }) => until],
    [t("compare.savesRow"), ({ saves }) => saves],
    [t("compare.libraryRow"), ({ library }) => yes(library)],
    [t("compare.singlyRow"), () => yes(false)],
    [t("compare.trialRow"), ({ trial }) => trial],
    [t("compare.renewsRow"), ({ renews }) => renews],
  ];
  return (
    <section className="section" aria-labelledby="side-by-side">
      <h2 className="type-section" id="side-by-side">
        {t("compare.title")}
      </h2>
      <p className="muted type-meta">{t("compare.text")}</p>
      <div className="side-by-side" tabIndex={0} role="region" aria-labelledby="side-by-side">
        <table>
          <thead>
            <tr>
              <td />
              {columns.map(({ key, name }) => (
                <th key={key} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([label, text]) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {columns.map((column) => (
                  <td key={column.key} className="figures">
                    {text(column)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
