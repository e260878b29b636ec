import type { Id, Package, PackageContent } from "../../contracts/resources";
import { DAY } from "../../lib/time";
import { selectAnswer } from "../../slices/transient";
import { useAppSelector } from "../state";
import { useOffered } from "../useOffered";
import { useRead } from "../useRead";

const READ = { method: "api.listPackageContents", args: {} } as const;
const NONE: readonly PackageContent[] = [];

/** What is read of what packages open: nothing where nobody answers that. */
export const useContentsReads = (): readonly (typeof READ)[] => (useOffered("packages/contents") ? [READ] : []);

/** What each package opens for whoever buys it now (PKG-4). */
export function useContents(): (item: Package, team?: Id) => PackageContent | null {
  useRead(useContentsReads()[0] ?? null);
  const contents = useAppSelector(selectAnswer("api.listPackageContents", {})) ?? NONE;
  return (item, team) =>
    contents.find(({ package_id, participant_id }) => package_id === item.id && participant_id === team) ?? null;
}

/** Until when a package holds that is bought now, Unix milliseconds; null: it does not end. */
export const holdsUntil = ({ period_days }: Package, now: number): number | null =>
  period_days > 0 ? now + period_days * DAY : null;

/** What it saves against the same games bought singly, minor units; 0 where it saves nothing. */
export const savedBy = ({ price }: Package, content: PackageContent | null): number =>
  Math.max(0, (content?.singly ?? 0) - price);
