import { useEffect, useRef } from "react";
import { Button } from "../components/basic/Button";
import { useTexts } from "../i18n/useTexts";
import { KEY_LIST } from "./keys";

interface KeyListProps {
  /** Names of keys that this video has no use for. */
  readonly without: readonly string[];
  readonly onClose: () => void;
}

/** The keys of this video alone; Escape closes it. */
export function KeyList({ without, onClose }: KeyListProps) {
  const { t } = useTexts();
  const close = useRef<HTMLDivElement>(null);
  useEffect(() => close.current?.querySelector("button")?.focus({ preventScroll: true }), []);
  const rows = KEY_LIST.filter(([name]) => !without.includes(name));
  return (
    <div
      className="player__keys"
      role="dialog"
      aria-label={t("player.keys.title")}
      ref={close}
      onKeyDown={(event) => {
        if (event.key !== "Escape" && event.key !== "?") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="player__keys-head">
        <h2>{t("player.keys.title")}</h2>
        <Button look="quiet" icon="close" label={t("dialog.close")} onClick={onClose} />
      </div>
      <dl>
        {rows.map(([name, keys]) => (
          <div key={name}>
            <dt>{t(`player.keys.${name}`)}</dt>
            <dd>
              {keys.split(/ (?!–)(?<!– )/).map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
