import { useState } from "react";
import { Chip } from "../../components/basic/Badge";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import type { Card, Order } from "../../contracts/resources";
import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { cardPressed } from "../../slices/account";
import { selectCards } from "../../slices/checkout";
import { selectOnline } from "../../slices/network";
import { selectOrdersById } from "../../slices/orders";
import { brandOf, NewCard, useCardName } from "../buy/CardChoice";
import { useCardChoice } from "../buy/useCardChoice";
import { useAppDispatch, useAppSelector } from "../state";
import { useRead } from "../useRead";
import "./Cards.css";

/** A form that saves a card without a purchase. */
function AddCard({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const choice = useCardChoice(null, "always");
  const save = () =>
    choice.payNew((card) => {
      if (!("card_handle" in card)) return;
      dispatch(cardPressed({ act: "add", payment_method_id: null, handle: card.card_handle }));
    }, onClose);
  return (
    <div className="card-form stack">
      <h3 className="type-label">{t("buy.newCard")}</h3>
      <NewCard choice={choice} />
      <p className="type-meta muted">{t("cards.addText")}</p>
      <div className="owned__acts">
        <Button look="primary" busy={choice.isChecking} onClick={save}>
          {t("cards.save")}
        </Button>
        <Button onClick={onClose}>{t("buy.notNow")}</Button>
      </div>
    </div>
  );
}

interface RemoveProps {
  readonly card: Card;
  /** The order that renews with this card. */
  readonly pays: Order | undefined;
  readonly onAdd: () => void;
  readonly onClose: () => void;
}

/** The next charge of a subscription; if it is past due, the next attempt. */
const nextCharge = ({ past_due, next_charge_at, current_period_end }: NonNullable<Order["subscription"]>): string =>
  (past_due && next_charge_at) || current_period_end;

/** Asks for confirmation. A card that a subscription renews with can't be removed. */
function Remove({ card, pays, onAdd, onClose }: RemoveProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const name = useCardName(card) ?? "";
  const { subscription } = pays ?? {};
  if (pays && subscription) {
    const price = formats.money(subscription.renewal_price ?? pays.total, pays.currency);
    const date = formats.date(Date.parse(nextCharge(subscription)));
    return (
      <Dialog title={t("cards.inUseTitle")} onClose={onClose}>
        <div className="stack">
          <p>{t("cards.inUseText", { card: name, price, date })}</p>
          <div className="owned__acts">
            <Button look="primary" onClick={onAdd}>
              {t("cards.add")}
            </Button>
            <Button onClick={onClose}>{t("buy.notNow")}</Button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("cards.removeTitle", { card: name })} onClose={onClose}>
      <div className="stack">
        <p>{t("cards.removeText")}</p>
        <div className="owned__acts">
          <Button
            look="danger"
            onClick={() => {
              dispatch(cardPressed({ act: "remove", payment_method_id: card.id, handle: null }));
              onClose();
            }}
          >
            {t("cards.remove")}
          </Button>
          <Button onClick={onClose}>{t("cards.keep")}</Button>
        </div>
      </div>
    </Dialog>
  );
}

interface RowProps {
  readonly card: Card;
  readonly pays: Order | undefined;
  readonly onRemove: () => void;
}

function Row({ card, pays, onRemove }: RowProps) {
  const { t } = useTexts();
  const formats = useFormats();
  const dispatch = useAppDispatch();
  const online = useAppSelector(selectOnline);
  const name = useCardName(card) ?? "";
  const end = pays?.subscription && nextCharge(pays.subscription);
  return (
    <li className="card-row">
      <span className="card-row__mark" aria-hidden="true">
        {brandOf(card.brand).mark}
      </span>
      <div className="card-row__what">
        <b className="figures">{name}</b>
        <span className="type-meta muted figures">
          {t("buy.expires", { date: formats.cardExpiry(card.exp_month, card.exp_year) })}
          {card.declined && `. ${t("buy.declinedCard")}`}
        </span>
        {end !== undefined && (
          <span className="type-meta muted">{t("cards.pays", { date: formats.date(Date.parse(end)) })}</span>
        )}
      </div>
      <div className="card-row__acts">
        {card.is_default ? (
          <Chip tone="success" icon="check">
            {t("cards.default")}
          </Chip>
        ) : (
          <Button
            disabled={!online}
            label={t("cards.makeDefaultNamed", { card: name })}
            onClick={() => dispatch(cardPressed({ act: "default", payment_method_id: card.id, handle: null }))}
          >
            {t("cards.makeDefault")}
          </Button>
        )}
        <Button look="quiet" disabled={!online} label={t("cards.removeNamed", { card: name })} onClick={onRemove}>
          {t("cards.remove")}
        </Button>
      </div>
    </li>
  );
}

/** The viewer's saved cards: the default one, and the ones that renew subscriptions (PAY-16). */
export function Cards() {
  const { t } = useTexts();
  useRead({ method: "api.listCards", args: {} });
  const cards = useAppSelector(selectCards);
  const orders = Object.values(useAppSelector(selectOrdersById));
  const [open, setOpen] = useState<Card | "add" | null>(null);
  const paysWith = ({ id }: Card) =>
    orders.find(({ subscription }) => subscription?.payment_method_id === id && subscription.auto_renew === "active");
  if (cards === null) return null;
  return (
    <section className="cards" aria-labelledby="cards">
      <h2 id="cards" className="type-section">
        {t("cards.title")}
      </h2>
      {cards.length === 0 ? (
        <p className="muted">{t("cards.none")}</p>
      ) : (
        <ul className="card-list">
          {cards.map((card) => (
            <Row key={card.id} card={card} pays={paysWith(card)} onRemove={() => setOpen(card)} />
          ))}
        </ul>
      )}
      {open === "add" ? (
        <AddCard onClose={() => setOpen(null)} />
      ) : (
        <Button icon="card" onClick={() => setOpen("add")}>
          {t("cards.add")}
        </Button>
      )}
      {open !== null && open !== "add" && (
        <Remove card={open} pays={paysWith(open)} onAdd={() => setOpen("add")} onClose={() => setOpen(null)} />
      )}
    </section>
  );
}
