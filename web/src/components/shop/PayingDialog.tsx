import { useFormats } from "../../i18n/useFormats";
import { useTexts } from "../../i18n/useTexts";
import { Button, ButtonLink } from "../basic/Button";
import { Dialog } from "../basic/Dialog";
import { Icon } from "../basic/Icon";
import { Notice } from "../basic/Notice";
import { useDeviceNow } from "../basic/now";
import { type Step, Touchline } from "../basic/Touchline";
import "./PayingDialog.css";

/** Progress of a payment. `since` and `retryAt` are Unix milliseconds. */
export type PayingState =
  | { readonly at: "creating"; readonly since: number }
  | { readonly at: "confirming"; readonly since: number }
  | { readonly at: "waiting"; readonly since: number }
  /**
   * `step`: the interrupted step. `continues`: the order was placed, and nothing is asked of the viewer. `reason`: the
   * error that came instead of a status; null if there was no answer.
   */
  | {
      readonly at: "interrupted";
      readonly step: "created" | "confirmed" | "waiting";
      readonly continues: boolean;
      readonly reason: string | null;
      readonly retryAt: number | null;
    }
  | { readonly at: "succeeded" }
  | { readonly at: "failed"; readonly reason: string };

interface PayingDialogProps {
  readonly state: PayingState;
  /** "$6.99"; null for a trial, which costs nothing yet. */
  readonly price: string | null;
  readonly name: string;
  /** "Visa ending in 4242", if known. */
  readonly card: string | null;
  /** The page to watch the purchase. */
  readonly to: string;
  readonly isEvent: boolean;
  /** It can be watched now, and playback starts automatically. */
  readonly plays?: boolean;
  /** Router state for `to`. */
  readonly toState?: unknown;
  readonly onLeave: () => void;
  readonly onRetry: () => void;
  readonly onOtherCard: () => void;
}

const STEPS = ["created", "confirmed", "waiting", "ready"] as const;

/** Number of completed steps. */
function stepsDone(state: PayingState): number {
  switch (state.at) {
    case "creating":
      return 0;
    case "confirming":
      return 1;
    case "waiting":
      return 2;
    case "interrupted":
      return STEPS.indexOf(state.step);
    case "failed":
      return 1;
    case "succeeded":
      return 4;
    default:
      return state satisfies never;
  }
}

function stepAt(state: PayingState, index: number, done: number): Step {
  if (state.at === "succeeded") return "succeeded";
  if (index < done) return "done";
  if (index > done) return "todo";
  return state.at === "failed" ? "failed" : state.at === "interrupted" ? "waiting" : "now";
}

/** Focuses the next action, since the focused element of the previous state is gone. */
const focusNext = (acts: HTMLElement | null) => acts?.querySelector<HTMLElement>("a, button")?.focus();

/** A purchase's progress, step by step. Leaving is always safe, and the dialog says so. */
export function PayingDialog(props: PayingDialogProps) {
  const { state, price, name, card, to, isEvent, plays = false, toState, onLeave, onRetry, onOtherCard } = props;
  const { t } = useTexts();
  const formats = useFormats();
  const now = useDeviceNow(1_000);
  const done = stepsDone(state);
  const steps = STEPS.map((_, index) => stepAt(state, index, done));
  const isContinuing = state.at === "interrupted" && state.continues;
  const texts = (() => {
    switch (state.at) {
      case "creating":
      case "confirming":
      case "waiting": {
        const title = price === null ? t("paying.titleTrial") : t("paying.title", { price });
        return { title, text: card === null ? name : t("paying.subtitle", { name, card }) };
      }
      case "interrupted":
        if (state.reason !== null)
          return { title: t(isContinuing ? "paying.uncheckedTitle" : "paying.unplacedTitle"), text: state.reason };
        return {
          title: t("paying.interruptedTitle"),
          text: isContinuing
            ? t("paying.interruptedText", { price: price ?? formats.money(0, "USD") })
            : t("paying.unplacedText"),
        };
      case "succeeded":
        return {
          title:
            price === null
              ? t("paying.trialStarted")
              : isEvent
                ? t("paying.succeededTitle")
                : t("paying.succeededPackage"),
          text: name,
        };
      case "failed":
        return { title: t("paying.failedTitle"), text: state.reason };
      default:
        return state satisfies never;
    }
  })();
  const nameOf = (step: (typeof STEPS)[number], at: Step | undefined): string => {
    if (at === "failed") return t("paying.notConfirmed");
    // There is no order before the worker has answered.
    if (step === "created" && done === 0) return t("paying.creating");
    // Only the bank, or a charge, confirms a card.
    if (step === "confirmed" && done <= 1) return t("paying.confirming");
    return t(`paying.steps.${step}`);
  };
  const detail = (index: number): string | null => {
    if (index !== done) return null;
    if (state.at === "interrupted") {
      const seconds = state.retryAt === null ? 0 : Math.ceil((state.retryAt - now) / 1_000);
      return seconds > 0 ? t("paying.onHoldRetry", { seconds }) : t("paying.onHoldText");
    }
    return state.at === "waiting" || state.at === "confirming" ? t("paying.usually") : null;
  };
  const running = state.at === "creating" || state.at === "confirming" || state.at === "waiting";
  return (
    <Dialog title={texts.title} subtitle={texts.text} onClose={onLeave} bare live>
      <div
        role="progressbar"
        aria-label={texts.title}
        aria-valuemin={0}
        aria-valuemax={STEPS.length}
        aria-valuenow={done}
        aria-valuetext={[
          t("paying.progress", { step: Math.min(done + 1, STEPS.length), count: STEPS.length }),
          ...(state.at === "interrupted" ? [t("paying.onHold")] : []),
        ].join(", ")}
      >
        <Touchline state={{ kind: "steps", steps, at: 0.5 }} thick />
      </div>
      {/* The seconds of a countdown aren't announced one by one. */}
      <ol className="paying__steps" aria-live={state.at === "interrupted" ? "off" : "polite"}>
        {STEPS.map((step, index) => {
          const at = steps[index];
          return (
            <li
              key={step}
              className={at === "todo" ? "paying__step paying__step--todo" : "paying__step"}
              aria-current={index === done ? "step" : undefined}
            >
              <span className={`paying__mark paying__mark--${at ?? "todo"}`} aria-hidden="true">
                {at === "done" || at === "succeeded" ? (
                  <Icon name="check" />
                ) : at === "waiting" ? (
                  <Icon name="offline" />
                ) : at === "failed" ? (
                  <Icon name="alert" />
                ) : null}
              </span>
              <div>
                <b className="paying__name">{nameOf(step, at)}</b>
                {detail(index) !== null && <p className="type-meta muted">{detail(index)}</p>}
              </div>
              {index === done && running && (
                <span className="type-meta muted figures" aria-hidden="true">
                  {t("paying.elapsed", { seconds: Math.max(0, Math.floor((now - state.since) / 1_000)) })}
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {running && (
        <>
          <Notice>{t("paying.safe")}</Notice>
          <div className="dialog__acts" ref={focusNext}>
            <Button onClick={onLeave}>{t("paying.leave")}</Button>
          </div>
        </>
      )}
      {state.at === "interrupted" && state.reason !== null && (
        <Notice>{t(isContinuing ? "paying.uncheckedSafe" : "paying.unplacedSafe")}</Notice>
      )}
      {state.at === "interrupted" && (
        <div className="dialog__acts" ref={focusNext}>
          <Button icon="refresh" onClick={onRetry}>
            {t("paying.check")}
          </Button>
          <Button look="quiet" onClick={onLeave}>
            {t("paying.leave")}
          </Button>
        </div>
      )}
      {state.at === "succeeded" && (
        <div className="dialog__acts" ref={focusNext}>
          {plays && <p className="type-meta muted">{t("paying.playsSoon")}</p>}
          <ButtonLink look="primary" icon={isEvent ? "play" : "check"} to={to} state={toState}>
            {isEvent ? t("paying.watch") : t("paying.toOrders")}
          </ButtonLink>
        </div>
      )}
      {state.at === "failed" && (
        <div className="dialog__acts" ref={focusNext}>
          <Button onClick={onOtherCard}>{t("paying.otherCard")}</Button>
          <Button look="quiet" onClick={onLeave}>
            {t("paying.close")}
          </Button>
        </div>
      )}
    </Dialog>
  );
}
