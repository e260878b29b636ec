import { useLocation, useNavigate } from "react-router";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { routes } from "../../navigation";
import { selectOrder } from "../../slices/orders";
import { purchaseActions, selectPurchase } from "../../slices/purchase";
import { useAppDispatch, useAppSelector } from "../state";
import { askedOf, isAsked, linkToPurchase } from "./product";

/** Tells a viewer who left the buy page that the payment failed (PAY-2). */
export default function PurchaseFailed() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const purchase = useAppSelector(selectPurchase);
  const order = useAppSelector(selectOrder(purchase.at === "failed" ? purchase.orderId : 0));
  if (purchase.at !== "failed" || !purchase.popup) return null;
  const { request } = purchase;
  // Its own page tells by itself.
  if (pathname === routes.buy.path && isAsked(askedOf(new URLSearchParams(search)), request)) return null;
  const close = () => dispatch(purchaseActions.popupClosed());
  const again = () => {
    close();
    navigate(linkToPurchase(request));
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
