import type { EventCategory, Participant } from "../../contracts/resources";
import type { Translate } from "../../i18n/texts";
import { capital } from "../../lib/capital";

/** A team's sport: "Men’s hockey". A school's teams share a name. */
export function teamKind(
  { properties: { sport, gender } }: Participant,
  categories: readonly EventCategory[],
  t: Translate,
): string {
  const name = categories.find((category) => category.sport === sport)?.name ?? "";
  return name !== "" && (gender === "male" || gender === "female")
    ? capital(t(`event.gender.${gender}`, { sport: name.toLocaleLowerCase() }))
    : name;
}
