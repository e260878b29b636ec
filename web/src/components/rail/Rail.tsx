import { Children, type ReactNode, useEffect, useRef, useState } from "react";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { moveInRail, rememberPosition } from "./rails";
import { useRailTravel } from "./railTravel";
import "./Rail.css";

interface RailProps {
  /** The id of the rail's heading. */
  readonly labelledBy: string;
  readonly children: ReactNode;
}

/**
 * A horizontal list of cards. The next card is partly visible, arrow keys move along it, and on wide screens buttons
 * turn pages, or scroll while held.
 */
export function Rail({ labelledBy, children }: RailProps) {
  const { t } = useTexts();
  const list = useRef<HTMLUListElement>(null);
  const [room, setRoom] = useState({ before: false, after: false });
  useEffect(() => {
    const rail = list.current;
    if (!rail) return;
    const measure = () => {
      const before = rail.scrollLeft > 4;
      const after = rail.scrollLeft + rail.clientWidth < rail.scrollWidth - 4;
      setRoom((known) => (known.before === before && known.after === after ? known : { before, after }));
    };
    rail.addEventListener("scroll", measure, { passive: true });
    // Also reports the initial size after layout: measuring here would force a layout per rail.
    const observer = new ResizeObserver(measure);
    observer.observe(rail);
    return () => {
      rail.removeEventListener("scroll", measure);
      observer.disconnect();
    };
  }, []);
  const travel = useRailTravel(list);
  return (
    <div className="rail">
      <ul
        className="rail__list"
        ref={list}
        aria-labelledby={labelledBy}
        data-rail=""
        onKeyDown={moveInRail}
        onFocus={rememberPosition}
      >
        {Children.map(children, (child) => (
          <li className="rail__item" data-card="">
            {child}
          </li>
        ))}
      </ul>
      {(room.before || room.after) && (
        <div className="rail__pages">
          <Button
            look="chalk"
            icon="chevronLeft"
            label={t("common.previous")}
            disabled={!room.before}
            {...travel.before}
          />
          <Button look="chalk" icon="chevronRight" label={t("common.next")} disabled={!room.after} {...travel.after} />
        </div>
      )}
    </div>
  );
}
