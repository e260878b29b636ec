import type { ReactNode } from "react";
import { Link, type To } from "react-router";
import "./Tabs.css";

export interface TabView {
  readonly key: string;
  readonly to: To;
  readonly label: ReactNode;
  readonly count?: string | undefined;
  readonly current: boolean;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly TabView[];
}

function showInRow(tab: HTMLAnchorElement | null): void {
  const row = tab?.parentElement;
  if (!tab || !row || row.scrollWidth <= row.clientWidth) return;
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}

/** Tabs as links, since each has an address. Arrow keys move among them. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab, index) => (
        <Link
          key={tab.key}
          // The current tab may be off-screen on compact screens.
          ref={tab.current ? showInRow : undefined}
          to={tab.to}
          className="tabs__tab"
          aria-current={tab.current ? "page" : undefined}
          onKeyDown={(event) => {
            const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
            const next = event.currentTarget.parentElement?.querySelectorAll<HTMLElement>(".tabs__tab")[index + step];
            if (step === 0 || !next) return;
            event.preventDefault();
            next.focus();
          }}
        >
          {tab.label}
          {tab.count !== undefined && <span className="tabs__count figures">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
