import { Link } from "react-router";
import { Button } from "../../components/basic/Button";
import { Icon } from "../../components/basic/Icon";
import { useTexts } from "../../i18n/useTexts";
import type { useRecentSearches } from "./recent";

const searchLink = (words: string): string => `/search?q=${encodeURIComponent(words)}`;

/** Recent searches on this device, with buttons to remove them. */
export function Recent({ searches, remove, clear }: ReturnType<typeof useRecentSearches>) {
  const { t } = useTexts();
  if (searches.length === 0) return null;
  return (
    <section className="panel search__panel" aria-labelledby="recent">
      <div className="section-heading">
        <h2 className="type-section" id="recent">
          {t("find.recent")}
        </h2>
        <Button look="quiet" size="small" className="section-heading__more" onClick={clear}>
          {t("find.clearRecent")}
        </Button>
      </div>
      <ul className="search__list">
        {searches.map((words) => (
          <li key={words} className="search__line">
            <Icon name="clock" size="small" />
            <Link className="search__recent" to={searchLink(words)} replace>
              {words}
            </Link>
            <Button
              look="quiet"
              size="small"
              icon="close"
              label={t("find.removeRecent", { words })}
              onClick={() => remove(words)}
            />
          </li>
        ))}
      </ul>
      <p className="type-meta muted">{t("find.onDevice")}</p>
    </section>
  );
}
