import { useLocation, useNavigate } from "react-router";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { routes } from "../../navigation";
import { selectOrder } from "../../slices/orders";
import { paymentActions, selectPayment } from "../../slices/payment";
import { useAppDispatch, useAppSelector } from "../state";
import { NothingPaid } from "./NothingPaid";
import { buyTargetOf, isTargetOf, linkToPurchase } from "./product";
import { useDismissPopup } from "./useDismissPopup";
import { useOneShowing } from "./useOneShowing";

/** Notifies a viewer who left the buy page, once, that the payment failed or did not happen (PAY-2, PAY-12). */
export default function PurchaseFailed() {
  const { t } = useTexts();
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const purchase = useAppSelector(selectPayment);
  const order = useAppSelector(selectOrder(purchase.at === "failed" ? purchase.orderId : 0));
  const request = "request" in purchase ? purchase.request : undefined;
  // The buy page itself shows this, and is the only one to ask about a new price.
  const isBuyPage = pathname === routes.buy.path && isTargetOf(buyTargetOf(new URLSearchParams(search)), request);
  const isVisible = useOneShowing(!isBuyPage);
  useDismissPopup(isVisible, pathname + search);
  if (!isVisible || request === undefined) return null;
  const close = () => dispatch(paymentActions.popupClosed());
  const again = () => {
    close();
    navigate(linkToPurchase(request));
  };
  if (purchase.at !== "failed") return <NothingPaid onRetry={again} onLeave={close} leave={t("buy.notNow")} />;
  return (
    <Dialog title={t("paying.failedTitle")} subtitle={order?.product.name} onClose={close}>
      <p>{sentence(t, purchase.message)}</p>
      <Button block onClick={again}>
        {t("paying.otherCard")}
      </Button>
    </Dialog>
  );
}
