import { Suspense } from "react";
import { Empty } from "../../components/basic/Empty";
import { Icon } from "../../components/basic/Icon";
import { RowSkeletons } from "../../components/basic/Skeleton";
import type { Faq } from "../../contracts/resources";
import { useTexts } from "../../i18n/useTexts";
import { selectFaq } from "../../slices/catalogue";
import { part } from "../lazyWithRetry";
import { useDocumentTitle } from "../shell/useDocumentTitle";
import { useAppSelector } from "../state";
import "./info.css";

const Prose = part(() => import("../../components/text/Prose"));

function sections(items: readonly Faq[]): readonly (readonly [string, readonly Faq[]])[] {
  const found = new Map<string, Faq[]>();
  for (const item of items) found.set(item.section, [...(found.get(item.section) ?? []), item]);
  return [...found];
}

/** The channel's questions and answers by section. */
export function Component() {
  const { t } = useTexts();
  const items = useAppSelector(selectFaq);
  useDocumentTitle(t("info.faq"));
  return (
    <div className="wrap info">
      <h1 className="type-page">{t("info.faq")}</h1>
      {items.length === 0 ? (
        <Empty title={t("info.faqEmpty")} text={t("info.faqEmptyText")} />
      ) : (
        <Suspense fallback={<RowSkeletons count={6} />}>
          {sections(items).map(([section, questions]) => (
            <section className="faq" key={section} aria-label={section || t("info.faq")}>
              {section !== "" && <h2 className="type-section">{section}</h2>}
              {questions.map((item) => (
                <details className="faq__item" key={item.id}>
                  <summary className="faq__question">
                    {item.question}
                    <Icon name="chevronDown" />
                  </summary>
                  <div className="faq__answer">
                    <Prose text={item.answer} />
                  </div>
                </details>
              ))}
            </section>
          ))}
        </Suspense>
      )}
    </div>
  );
}
