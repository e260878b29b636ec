import { Link, type To } from "react-router";
import { useTexts } from "../../i18n/useTexts";
import { namesChannel } from "../../lib/namesChannel";
import { ButtonLink } from "../basic/Button";
import { Icon } from "../basic/Icon";
import type { IconName } from "../basic/icons";
import { Brand, type BrandView } from "./Brand";
import "./Header.css";

/** A navigation link. */
export interface NavItem {
  readonly key: string;
  readonly to: To;
  readonly label: string;
  readonly icon?: IconName;
  readonly current?: boolean;
}

interface HeaderProps {
  readonly brand: BrandView;
  readonly items: readonly NavItem[];
  /** The signed-in viewer; `initials` is empty while the name is unknown. */
  readonly viewer: { readonly name: string; readonly initials: string } | null;
}

function NavItemLink({ item, className }: { readonly item: NavItem; readonly className: string }) {
  return (
    <Link
      to={item.to}
      reloadDocument={namesChannel(item.to)}
      className={className}
      aria-current={item.current ? "page" : undefined}
    >
      {item.icon && <Icon name={item.icon} />}
      {item.label}
    </Link>
  );
}

/** The header: the channel, navigation on wide screens, and the viewer. */
export function Header({ brand, items, viewer }: HeaderProps) {
  const { t } = useTexts();
  return (
    <header className="header">
      <div className="wrap header__row">
        <Brand brand={brand} />
        <nav className="header__places" aria-label={t("nav.main")}>
          {items.map((item) => (
            <NavItemLink key={item.key} item={item} className="header__place" />
          ))}
        </nav>
        <div className="header__viewer">
          <ButtonLink look="quiet" icon="search" to="/search" label={t("nav.search")} />
          {viewer ? (
            <Link to="/profile" className="header__avatar-link">
              <span className="visually-hidden">
                {viewer.name === "" ? t("nav.accountUnnamed") : t("nav.account", viewer)}
              </span>
              <Avatar initials={viewer.initials} />
            </Link>
          ) : (
            <>
              <ButtonLink look="quiet" to="/login">
                {t("nav.login")}
              </ButtonLink>
              <ButtonLink look="chalk" to="/registration" className="header__register">
                {t("nav.register")}
              </ButtonLink>
            </>
          )}
        </div>
      </div>
    </header>
  );
}

export function Avatar({ initials, large }: { readonly initials: string; readonly large?: boolean }) {
  return (
    <span className={`avatar${large ? " avatar--large" : ""}`} aria-hidden="true">
      {initials === "" ? <Icon name="user" /> : initials}
    </span>
  );
}

/** The navigation bar at the bottom of compact screens. */
export function BottomBar({ items }: { readonly items: readonly NavItem[] }) {
  const { t } = useTexts();
  return (
    <nav className="bottom-bar" aria-label={t("nav.sections")}>
      {items.map((item) => (
        <NavItemLink key={item.key} item={item} className="bottom-bar__place" />
      ))}
    </nav>
  );
}
