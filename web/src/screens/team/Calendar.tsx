import { Button } from "../../components/basic/Button";
import { Icon } from "../../components/basic/Icon";
import { useTexts } from "../../i18n/useTexts";
import { useCopy } from "../useShare";
import type { Subject } from "./TeamPage";

const COPY = { path: "M8 8h12v12H8zM16 8V4H4v12h4" };

/** The team's or school's games as a calendar subscription (TEAM-2). */
export function Calendar({ subject }: { readonly subject: Subject }) {
  const { t } = useTexts();
  const kinds = subject.kind === "participant" ? "teams" : "schools";
  const file = `${subject.id}.ics`;
  const path = `/api/calendar/${kinds}/${file}`;
  const address = new URL(path, window.location.href);
  const copy = useCopy(() => address.href, t("common.linkCopied"));
  return (
    <section className="panel team__panel" aria-labelledby="calendar">
      <h2 className="type-section" id="calendar">
        {t("team.inCalendar")}
      </h2>
      <p className="muted">{t("team.inCalendarText", { name: subject.name })}</p>
      <a className="button button--second button--block" href={`webcal://${address.host}${path}`}>
        <span className="button__content">
          <Icon name="calendar" />
          {t("team.subscribe")}
        </span>
      </a>
      <div className="team__address">
        <span className="type-meta muted">{address.href}</span>
        <Button look="quiet" icon={COPY} label={t("team.copyAddress")} onClick={copy} />
      </div>
    </section>
  );
}
