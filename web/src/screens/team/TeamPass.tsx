import { Chip } from "../../components/basic/Badge";
import { ButtonLink } from "../../components/basic/Button";
import type { Id } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectPackagesById } from "../../slices/catalogue";
import { selectAnswer } from "../../slices/transient";
import { selectGeoBlocked } from "../../slices/user";
import { useContentsReads } from "../packages/useContents";
import { useAppSelector } from "../state";
import { useReads } from "../useRead";

const READ = { method: "api.listPackages", args: {} } as const;

/** The team's pass: contents, price and savings (PKG-3, PKG-4). */
export function TeamPass({ team, name }: { readonly team: Id; readonly name: string }) {
  const { t } = useTexts();
  const formats = useFormats();
  useReads([READ, ...useContentsReads()]);
  const blocked = useAppSelector(selectGeoBlocked);
  const packages = Object.values(useAppSelector(selectPackagesById));
  const contents = useAppSelector(selectAnswer("api.listPackageContents", {}));
  const pass = packages.find(({ is_team_pass, participants }) => is_team_pass && participants.includes(team));
  if (!pass || blocked) return null;
  const content = contents?.find(({ package_id, participant_id }) => package_id === pass.id && participant_id === team);
  const money = (minor: number) => formats.money(minor, pass.currency);
  const saved = content ? content.singly - pass.price : 0;
  const owned = pass.disabled_participants.includes(team);
  return (
    <section className="panel team__panel" aria-labelledby="team-pass">
      <h2 className="type-section" id="team-pass">
        <bdi>{pass.name}</bdi>
      </h2>
      {content && <p>{t("team.passOpens", { count: content.events, name })}</p>}
      {owned ? (
        <p>
          <Chip tone="success" icon="check">
            {t("packages.owned")}
          </Chip>
        </p>
      ) : (
        <>
          <p className="team__price figures">
            <b>{money(pass.price)}</b>{" "}
            {pass.service_fee > 0 && (
              <span className="muted">{t("compare.feeIn", { fee: money(pass.service_fee) })}</span>
            )}
          </p>
          {saved > 0 && content && (
            <p className="type-meta muted">
              {t("team.passSaves", { singly: money(content.singly), saved: money(saved) })}
            </p>
          )}
          <ButtonLink block to={linkTo("selectPackage", { id: pass.id }, { participant_id: team })}>
            {t("team.getPass")}
          </ButtonLink>
          <p className="type-meta muted">{t("buy.final")}</p>
        </>
      )}
    </section>
  );
}
