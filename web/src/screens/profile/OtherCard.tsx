import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import type { Order } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { renewalCardChosen } from "../../slices/account";
import { CardChoice } from "../buy/CardChoice";
import { useCardChoice } from "../buy/useCardChoice";
import { useAppDispatch } from "../state";

/** Selects another card for renewals (SUB-6). */
export function OtherCard({ order, onClose }: { readonly order: Order; readonly onClose: () => void }) {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const choice = useCardChoice(order.subscription?.past_due ? "dismissed" : null, "always");
  const use = () =>
    choice.pay((card) => {
      const stored = "payment_method_id" in card ? card.payment_method_id : null;
      const handle = "card_handle" in card ? card.card_handle : null;
      dispatch(renewalCardChosen({ subscription_id: order.product.id, payment_method_id: stored, handle }));
    }, onClose);
  return (
    <Dialog title={t("orders.otherCardTitle")} onClose={onClose}>
      <div className="stack">
        <CardChoice choice={choice} />
        <Button look="primary" busy={choice.isChecking} onClick={use}>
          {t("orders.useThis")}
        </Button>
      </div>
    </Dialog>
  );
}
