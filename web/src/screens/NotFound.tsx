import { ButtonLink } from "../components/basic/Button";
import { useTexts } from "../i18n/useTexts";
import { linkTo } from "../navigation";
import { useDocumentTitle } from "./shell/useDocumentTitle";
import "./NotFound.css";

/** The 404 page, with a link to the home page (ROUTE). */
export function Component() {
  const { t } = useTexts();
  useDocumentTitle(t("notFound.title"));
  return (
    <div className="not-found">
      <div className="not-found__field" aria-hidden="true">
        <svg viewBox="0 0 1440 828" preserveAspectRatio="xMidYMax slice" role="presentation">
          <path className="not-found__inside" d="M760 828L1180 0H1440V828Z" />
          <g className="not-found__marking">
            <circle cx="1440" cy="470" r="190" />
            <path d="M1010 335H1440" />
          </g>
          <path className="not-found__line" d="M752 844L1188-16" />
          <path className="not-found__bounce" d="M1210 590Q1010 520 860 668" />
          <ellipse cx="800" cy="762" rx="62" ry="12" fill="#000" opacity=".4" />
          <circle cx="796" cy="704" r="58" fill="#e0662c" />
          <path
            d="M738 704H854M796 646V762M756 662Q796 704 756 746M836 662Q796 704 836 746"
            fill="none"
            stroke="#3a1504"
            strokeWidth="3.5"
          />
        </svg>
      </div>
      <div className="wrap not-found__words">
        <p className="type-label">{t("notFound.label")}</p>
        <h1 className="type-hero not-found__title">{t("notFound.title")}</h1>
        <p className="type-lead muted not-found__text">{t("notFound.text")}</p>
        <ButtonLink look="primary" size="big" to={linkTo("home")}>
          {t("notFound.home")}
        </ButtonLink>
      </div>
    </div>
  );
}
