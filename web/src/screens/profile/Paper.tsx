import type { ReactNode } from "react";
import { Button, ButtonLink } from "../../components/basic/Button";
import { useTexts } from "../../i18n/useTexts";
import { linkTo } from "../../navigation";
import { selectSettings } from "../../slices/catalogue";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import { usePerson } from "../useAccount";
import "./Receipt.css";

interface PaperPageProps {
  readonly title: string;
  /** Whether there is a document to print. */
  readonly canPrint: boolean;
  readonly children: ReactNode;
}

/** The page around a document: a link to the transactions and the print button. */
export function PaperPage({ title, canPrint, children }: PaperPageProps) {
  const { t } = useTexts();
  useDocumentTitle(title);
  return (
    <div className="wrap receipt-page">
      <div className="receipt-page__tools">
        <ButtonLink look="quiet" to={linkTo("transactions")}>
          {t("profile.transactions")}
        </ButtonLink>
        <h1 className="type-page">{title}</h1>
        {canPrint && <Button onClick={() => window.print()}>{t("orders.receipt.print")}</Button>}
      </div>
      {children}
    </div>
  );
}

interface PaperProps {
  readonly title: string;
  readonly heading: string;
  readonly number?: string;
  readonly isWide?: boolean;
  /** Details displayed between the buyer and seller blocks. */
  readonly facts?: ReactNode;
  readonly foot: ReactNode;
  readonly children: ReactNode;
}

/** A document with a header, buyer and seller: dark on white in every channel, as printed. */
export function Paper({ title, heading, number, isWide = false, facts, foot, children }: PaperProps) {
  const { t } = useTexts();
  const person = usePerson();
  const settings = useAppSelector(selectSettings);
  const seller = settings?.seller;
  return (
    <article className={isWide ? "receipt receipt--wide" : "receipt"} aria-label={title}>
      <header className="receipt__head">
        <b>{settings?.name}</b>
        <div>
          <h2>{heading}</h2>
          {number !== undefined && <span className="figures">{number}</span>}
        </div>
      </header>
      <dl className="receipt__facts">
        <div>
          <dt>{t("orders.receipt.soldTo")}</dt>
          <dd>{person && `${person.first_name} ${person.last_name}`}</dd>
          <dd>{person?.email}</dd>
        </div>
        {facts}
        <div>
          <dt>{t("orders.receipt.soldBy")}</dt>
          <dd>{seller?.name ?? settings?.name}</dd>
          {seller && <dd className="receipt__address">{seller.address}</dd>}
        </div>
      </dl>
      {children}
      <footer className="receipt__foot">{foot}</footer>
    </article>
  );
}
