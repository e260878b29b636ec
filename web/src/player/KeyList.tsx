import { useTexts } from "../i18n/useTexts";
import { KEY_LIST } from "./keys";
import { PlayerPanel } from "./PlayerPanel";

interface KeyListProps {
  /** Names of shortcuts that this video doesn't support. */
  readonly without: readonly string[];
  readonly onClose: () => void;
}

/** The shortcuts available for this video. Escape closes the list. */
export function KeyList({ without, onClose }: KeyListProps) {
  const { t } = useTexts();
  const rows = KEY_LIST.filter(([name]) => !without.includes(name));
  return (
    <PlayerPanel title={t("player.keys.title")} focus="button" toggle="?" onClose={onClose}>
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
    </PlayerPanel>
  );
}
