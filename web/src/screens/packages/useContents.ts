import type { Id, Package, PackageContent } from "../../contracts/resources";
import type { Translate } from "../../i18n/texts";
import { DAY } from "../../lib/time";
import { selectAnswer } from "../../slices/transient";
import { useAppSelector } from "../state";
import { useOffered } from "../useOffered";
import { useRead } from "../useRead";

const READ = { method: "api.listPackageContents", args: {} } as const;
const NONE: readonly PackageContent[] = [];

/** The read of package contents; empty if the call is unavailable. */
export const useContentsReads = (): readonly (typeof READ)[] => (useOffered("packages/contents") ? [READ] : []);

/** The contents of each package if bought now (PKG-4). */
export function useContents(): (item: Package, team?: Id) => PackageContent | null {
  useRead(useContentsReads()[0] ?? null);
  const contents = useAppSelector(selectAnswer("api.listPackageContents", {})) ?? NONE;
  return (item, team) =>
    contents.find(({ package_id, participant_id }) => package_id === item.id && participant_id === team) ?? null;
}

/** The number of upcoming games in words: a pass may be on sale before its games are announced (PKG-4). */
export const gamesText = (t: Translate, { events }: PackageContent): string =>
  events === 0 ? t("compare.noGames") : t("compare.gamesToCome", { count: events });

/** The end of a package bought now, in Unix milliseconds; null if it has none. */
export const holdsUntil = ({ period_days }: Package, now: number): number | null =>
  period_days > 0 ? now + period_days * DAY : null;

/** Savings over separate purchases in minor units; 0 if there are none. */
export const savedBy = ({ price }: Package, content: PackageContent | null): number =>
  Math.max(0, (content?.singly ?? 0) - price);
