import { useId, useState } from "react";
import { useTexts } from "../../i18n/useTexts";
import { Button } from "../basic/Button";
import { Dialog } from "../basic/Dialog";
import { Icon } from "../basic/Icon";
import "./Filter.css";
import "./FilterBar.css";

const FILTERS = { path: "M4 7h16M7 12h10M10 17h4" };

/** A filter and its options; `value` is empty for all. */
export interface FilterView {
  readonly key: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

interface FilterBarProps {
  readonly filters: readonly FilterView[];
  readonly onChange: (key: string, value: string) => void;
  readonly onClear: () => void;
  /** The number of matches, as the label of the sheet's button. */
  readonly fits: string;
}

/** A styled native picker: it supports every keyboard, screen reader and television remote. */
function FilterSelect({
  filter,
  onChange,
}: {
  readonly filter: FilterView;
  readonly onChange: (value: string) => void;
}) {
  const { t } = useTexts();
  const id = useId();
  const chosen = filter.options.find(({ value }) => value === filter.value && value !== "");
  return (
    <div className={`filter${chosen ? " filter--set" : ""}`}>
      <label className={chosen ? "visually-hidden" : "filter__label"} htmlFor={id}>
        {filter.label}
      </label>
      <span className="filter__value" aria-hidden="true">
        {chosen?.label ?? t("list.all")}
      </span>
      <Icon name="chevronDown" size="small" />
      <select
        id={id}
        className="filter__select"
        value={filter.value}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{t("list.all")}</option>
        {filter.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A row of filters on wide screens. On compact ones a sheet, with chips to remove active filters. */
export function FilterBar({ filters, onChange, onClear, fits }: FilterBarProps) {
  const { t } = useTexts();
  const [open, setOpen] = useState(false);
  const set = filters.filter(({ value }) => value !== "");
  return (
    <div className="filter-bar">
      <div className="filter-bar__row">
        {filters.map((filter) => (
          <FilterSelect key={filter.key} filter={filter} onChange={(value) => onChange(filter.key, value)} />
        ))}
        {set.length > 0 && (
          <Button look="quiet" onClick={onClear}>
            {t("list.clear")}
          </Button>
        )}
      </div>
      <div className="filter-bar__compact">
        <button
          type="button"
          className={`filter filter-bar__open${set.length > 0 ? " filter--set" : ""}`}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <Icon name={FILTERS} size="small" />
          {t("list.filters")}
          {set.length > 0 && <b className="figures">{set.length}</b>}
        </button>
      </div>
      {set.length > 0 && (
        <ul className="filter-bar__chips">
          {set.map((filter) => {
            const name = filter.options.find(({ value }) => value === filter.value)?.label ?? filter.value;
            return (
              <li key={filter.key}>
                <button
                  type="button"
                  className="filter"
                  aria-label={t("list.remove", { name })}
                  onClick={() => onChange(filter.key, "")}
                >
                  {name}
                  <Icon name="close" size="small" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {open && (
        <Dialog title={t("list.filters")} onClose={() => setOpen(false)}>
          <div className="stack">
            {filters.map((filter) => (
              <FilterSelect key={filter.key} filter={filter} onChange={(value) => onChange(filter.key, value)} />
            ))}
          </div>
          <div className="filter-bar__act">
            <Button look="primary" block onClick={() => setOpen(false)}>
              {fits}
            </Button>
            {set.length > 0 && (
              <Button look="quiet" onClick={onClear}>
                {t("list.clear")}
              </Button>
            )}
          </div>
        </Dialog>
      )}
    </div>
  );
}
