import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { useTexts } from "../../i18n/useTexts";
import { useAccount } from "../useAccount";

/** The bank's question about a payment, where sandbox payments ask one: on whichever page its tab shows. */
export default function BankQuestion() {
  const { t } = useTexts();
  const account = useAccount();
  return (
    <Dialog title={t("paying.bankTitle")} subtitle={t("paying.bankText")} onClose={() => account.answer(false)} bare>
      <div className="dialog__acts">
        <Button look="primary" onClick={() => account.answer(true)}>
          {t("paying.bankYes")}
        </Button>
        <Button onClick={() => account.answer(false)}>{t("paying.bankNo")}</Button>
      </div>
    </Dialog>
  );
}
