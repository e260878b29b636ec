import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { sentence } from "../../i18n/sentence";
import { linkTo, routes } from "../../navigation";
import { selectOrder } from "../../slices/orders";
import { purchaseActions, selectPurchase } from "../../slices/purchase";
import { useAppDispatch, useAppSelector } from "../state";

/** Tells a viewer who left the buy page that the payment failed (PAY-2). */
export default function PurchaseFailed() {
  const { t } = useTranslation();
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const purchase = useAppSelector(selectPurchase);
  const order = useAppSelector(selectOrder(purchase.at === "failed" ? purchase.orderId : 0));
  if (purchase.at !== "failed" || !purchase.popup || pathname === routes.buy.path) return null;
  const { request } = purchase;
  const close = () => dispatch(purchaseActions.popupClosed());
  const again = () => {
    close();
    navigate(
      linkTo(
        "buy",
        {},
        {
          type: request.kind,
          ...(request.kind === "event"
            ? { event_id: request.id, single_event_package_id: request.single_event_package_id }
            : request.kind === "package"
              ? { package_id: request.id, participant_id: request.participant_id }
              : { subscription_id: request.id }),
        },
      ),
    );
  };
  return (
    <Dialog title={t("paying.failedTitle")} subtitle={order?.product.name} onClose={close}>
      <p>{sentence(t, purchase.message)}</p>
      <Button block onClick={again}>
        {t("paying.otherCard")}
      </Button>
    </Dialog>
  );
}
