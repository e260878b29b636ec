import { useState } from "react";
import { Button } from "../../components/basic/Button";
import { Dialog } from "../../components/basic/Dialog";
import { Notice } from "../../components/basic/Notice";
import { FormAlert } from "../../components/form/FormAlert";
import { sentence } from "../../i18n/sentence";
import { useTexts } from "../../i18n/useTexts";
import { useAccountForm } from "../auth/useAccountForm";
import { useAccount, usePerson } from "../useAccount";

/** Explains the deletion and sends the link that confirms it. */
function Question({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTexts();
  const account = useAccount();
  const email = usePerson()?.email ?? "";
  const { at, refusal, submit } = useAccountForm("requestDeletion");
  return (
    <Dialog title={t("deletion.title")} onClose={onClose}>
      {at === "done" ? (
        <Notice tone="success" alert>
          {t("deletion.sent", { email })}
        </Notice>
      ) : (
        <>
          <p>{t("deletion.text")}</p>
          <p className="muted">{t("deletion.link", { email })}</p>
          {refusal && <FormAlert refusal={refusal}>{sentence(t, refusal.message)}</FormAlert>}
          <Button look="danger" size="big" block busy={at === "sending"} onClick={() => submit(account.hold({}))}>
            {t("deletion.send")}
          </Button>
        </>
      )}
      <Button size="big" block onClick={onClose}>
        {at === "done" ? t("dialog.close") : t("deletion.keep")}
      </Button>
    </Dialog>
  );
}

/** The account deletion at the end of the profile (AUTH-4). */
export function DeleteAccount() {
  const { t } = useTexts();
  const [asking, setAsking] = useState(false);
  return (
    <section className="stack stack--tight" aria-labelledby="delete-account">
      <h2 className="type-section" id="delete-account">
        {t("deletion.title")}
      </h2>
      <p className="muted">{t("deletion.text")}</p>
      <Button onClick={() => setAsking(true)}>{t("deletion.ask")}</Button>
      {asking && <Question onClose={() => setAsking(false)} />}
    </section>
  );
}
