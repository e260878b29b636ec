import { Icon } from "../basic/Icon";
import type { Drawing, IconName } from "../basic/icons";
import "./ViewSwitch.css";

interface ViewSwitchProps<V extends string> {
  readonly label: string;
  readonly views: readonly { readonly value: V; readonly label: string; readonly icon: IconName | Drawing }[];
  readonly value: V;
  readonly onChange: (value: V) => void;
}

/** Switches between views of the same list. */
export function ViewSwitch<V extends string>({ label, views, value, onChange }: ViewSwitchProps<V>) {
  return (
    <fieldset className="view-switch" aria-label={label}>
      {views.map((view) => (
        <button
          key={view.value}
          type="button"
          className="view-switch__view"
          aria-pressed={view.value === value}
          onClick={() => onChange(view.value)}
        >
          <Icon name={view.icon} size="small" />
          {view.label}
        </button>
      ))}
    </fieldset>
  );
}
