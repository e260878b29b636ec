import { Link } from "react-router";
import { useTexts } from "../../i18n/useTexts";
import { namesChannel } from "../../lib/namesChannel";
import { Brand, type BrandView } from "./Brand";
import type { NavItem } from "./Header";
import "./Footer.css";

interface FooterProps {
  readonly brand: BrandView;
  readonly items: readonly NavItem[];
  readonly year: number;
  /** "Central Time", once known. */
  readonly zone: string | undefined;
  /** The channel's own text for the footer. */
  readonly note: string | undefined;
  /** Opens the problem report; undefined if reports can't be sent. */
  readonly onReport: (() => void) | undefined;
  /** Changes the analytics consent; absent if the viewer wasn't asked. */
  readonly recording?: { readonly label: string; readonly onChange: () => void } | undefined;
  readonly language: { readonly label: string; readonly tag: string; readonly onSwitch: () => void };
}

export function Footer({ brand, items, year, zone, note, onReport, recording, language }: FooterProps) {
  const { t } = useTexts();
  return (
    <footer className="footer">
      <div className="wrap footer__rows">
        <Brand brand={brand} />
        <nav aria-label={t("nav.footer")}>
          <ul className="footer__places">
            {items.map((item) => (
              <li key={item.key}>
                <Link className="footer__place" to={item.to} reloadDocument={namesChannel(item.to)}>
                  {item.label}
                </Link>
              </li>
            ))}
            {onReport && (
              <li>
                <button type="button" className="footer__place" onClick={onReport}>
                  {t("footer.report")}
                </button>
              </li>
            )}
            {recording && (
              <li>
                <button type="button" className="footer__place" onClick={recording.onChange}>
                  {recording.label}
                </button>
              </li>
            )}
            <li>
              <button type="button" className="footer__place" lang={language.tag} onClick={language.onSwitch}>
                {language.label}
              </button>
            </li>
          </ul>
        </nav>
        {note && <p className="footer__rights">{note}</p>}
        <p className="footer__rights">
          {t("footer.rights", { year, channel: brand.name })} {zone && t("footer.zone", { zone })}
        </p>
      </div>
    </footer>
  );
}
