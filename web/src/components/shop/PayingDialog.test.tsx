// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fetchRest } from "../../i18n/locale";
import { PayingDialog, type PayingState } from "./PayingDialog";

const onLeave = vi.fn();
const onRetry = vi.fn();
const onOtherCard = vi.fn();

function dialogAt(state: PayingState) {
  return (
    <MemoryRouter>
      <PayingDialog
        state={state}
        price="$8.59"
        name="Westhaven @ Northfield"
        card="Visa ending in 4242"
        to="/watch/1"
        isEvent
        onLeave={onLeave}
        onRetry={onRetry}
        onOtherCard={onOtherCard}
      />
    </MemoryRouter>
  );
}

const show = (state: PayingState) => render(dialogAt(state));

/** Substitutes for the top layer, which jsdom lacks. */
function openDialogs(): void {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
}

describe("the dialog of a payment", () => {
  beforeEach(async () => {
    await fetchRest();
    openDialogs();
    vi.clearAllMocks();
  });
  afterEach(cleanup);

  it("says that leaving is safe, and Escape leaves", () => {
    show({ at: "waiting", since: Date.now() });
    expect(screen.getByText(/you’ll only be charged once, and you’ll find the result here/)).toBeTruthy();
    fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true }));
    expect(onLeave).toHaveBeenCalledTimes(1);
  });

  it("tells the step that it waits for, in words and to a screen reader", () => {
    show({ at: "waiting", since: Date.now() });
    expect(document.querySelector("[aria-current=step]")?.textContent).toContain("Waiting for the payment");
    expect(screen.getByRole("progressbar").getAttribute("aria-valuetext")).toBe("Step 3 of 4");
  });

  it("stops at the bank where the viewer's answer got lost, and carries on nowhere meanwhile", () => {
    show({ at: "interrupted", step: "confirmed", continues: false, reason: null, retryAt: null });
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("1");
    expect(screen.getByText(/You won’t be charged twice/)).toBeTruthy();
    expect(screen.queryByText(/still being processed/)).toBeNull();
  });

  it("offers to look again when the connection dropped", () => {
    show({ at: "interrupted", step: "waiting", continues: true, reason: null, retryAt: null });
    expect(screen.getByRole("progressbar").getAttribute("aria-valuetext")).toBe("Step 3 of 4, paused");
    fireEvent.click(screen.getByRole("button", { name: "Check now" }));
    expect(onRetry).toHaveBeenCalledTimes(1);
  });

  it("leads to the event once it is paid", () => {
    show({ at: "succeeded" });
    expect(screen.getByRole("link", { name: "Watch" }).getAttribute("href")).toBe("/watch/1");
  });

  it("says why it failed and offers another card", () => {
    show({ at: "failed", reason: "The card was declined." });
    expect(screen.getByText("The card was declined.")).toBeTruthy();
    // The card is the failed step: no later step is done.
    expect(document.querySelector("[aria-current=step]")?.textContent).toBe("Card not confirmed");
    expect(screen.queryByText("Card confirmed")).toBeNull();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("1");
    fireEvent.click(screen.getByRole("button", { name: "Use another card" }));
    expect(onOtherCard).toHaveBeenCalledTimes(1);
  });

  it("keeps the focus on what is done next, and reads out what has become of the payment", () => {
    const waiting: PayingState = { at: "waiting", since: Date.now() };
    const { rerender } = show(waiting);
    const status = screen.getByRole("status");
    const leave = screen.getByRole("button", { name: "Continue in background" });
    leave.focus();
    rerender(dialogAt({ at: "interrupted", step: "waiting", continues: true, reason: null, retryAt: null }));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Check now" }));
    expect(status.textContent).toContain("Connection lost");
    rerender(dialogAt(waiting));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Continue in background" }));
    rerender(dialogAt({ at: "failed", reason: "The card was declined." }));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Use another card" }));
    expect(status.textContent).toContain("Payment failed");
    expect(status.textContent).toContain("The card was declined.");
    rerender(dialogAt({ at: "succeeded" }));
    expect(document.activeElement).toBe(screen.getByRole("link", { name: "Watch" }));
    expect(status.textContent).toContain("Paid. Enjoy the game.");
  });

  it("does not read out the seconds until it asks again", () => {
    show({ at: "interrupted", step: "created", continues: false, reason: null, retryAt: Date.now() + 9_500 });
    expect(
      screen
        .getByText(/Trying again in/)
        .closest("[aria-live]")
        ?.getAttribute("aria-live"),
    ).toBe("off");
  });
});
