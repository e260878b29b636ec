import type { InputHTMLAttributes, ReactNode } from "react";
import "./RadioCard.css";

type RadioCardProps = Omit<InputHTMLAttributes<HTMLInputElement>, "type" | "className" | "title"> & {
  readonly title: ReactNode;
  readonly text?: ReactNode;
  readonly price?: string;
  /** A card's brand, left of the text. */
  readonly mark?: ReactNode;
  /** A crest, left of the text. */
  readonly icon?: ReactNode;
  /** Shown inside the card while it is selected. */
  readonly children?: ReactNode;
};

/** A radio button as a card that is clickable as a whole. */
export function RadioCard({ title, text, price, mark, icon, children, ...input }: RadioCardProps) {
  return (
    <div className={`radio-card${input.checked ? " radio-card--on" : ""}`}>
      <label className="radio-card__label">
        <input {...input} type="radio" className="radio-card__input" />
        <span className="radio-card__dot" aria-hidden="true" />
        <span className="radio-card__words">
          {mark !== undefined && <span className="radio-card__mark">{mark}</span>}
          {icon}
          <span>
            <b className="radio-card__title">{title}</b>
            {text !== undefined && <small className="radio-card__text">{text}</small>}
          </span>
        </span>
        {price !== undefined && <span className="radio-card__price figures">{price}</span>}
      </label>
      {input.checked && children !== undefined && <div className="radio-card__inside">{children}</div>}
    </div>
  );
}
