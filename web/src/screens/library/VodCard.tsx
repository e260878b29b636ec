import { Link } from "react-router";
import { Badge } from "../../components/basic/Badge";
import { Touchline } from "../../components/basic/Touchline";
import { Poster } from "../../components/picture/Poster";
import type { VodItem } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectGeoBlocked } from "../../slices/user";
import { useAppSelector } from "../state";
import "../../components/event/EventCard.css";
import { vodPicture } from "./vodView";

export function VodCard({ item }: { readonly item: VodItem }) {
  const { t } = useTexts();
  const formats = useFormats();
  const geoBlocked = useAppSelector(selectGeoBlocked);
  return (
    <article className="event-card">
      <Poster
        picture={vodPicture(item)}
        corners={{
          bottomRight: item.duration_s > 0 ? <Badge look="ink">{formats.duration(item.duration_s)}</Badge> : null,
        }}
      />
      <Touchline state={{ kind: "watched", at: 0 }} />
      <div className="event-card__body">
        <h3 className="event-card__name">
          <Link className="event-card__link" data-stop="" to={linkTo("vodItem", { id: item.id })}>
            <bdi>{item.title}</bdi>
          </Link>
        </h3>
        {(item.is_geo_blocked || geoBlocked) && <p className="event-card__meta">{t("event.blocked")}</p>}
        <p className="event-card__meta">{formats.date(Date.parse(item.date))}</p>
      </div>
    </article>
  );
}
