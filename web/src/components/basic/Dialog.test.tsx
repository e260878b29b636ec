// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ReportContext } from "../shell/report";
import { Dialog } from "./Dialog";

beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
    // Like the browser, focuses the first button.
    this.querySelector("button")?.focus();
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
});
afterEach(cleanup);

function open(reportProblem: (() => void) | null) {
  render(
    <ReportContext.Provider value={reportProblem}>
      <Dialog title="Paying" bare onClose={() => undefined}>
        <p>One moment.</p>
      </Dialog>
    </ReportContext.Provider>,
  );
}

it("offers to report a problem, which the page behind it cannot (OPS-5)", () => {
  const reportProblem = vi.fn();
  open(reportProblem);
  const button = screen.getByRole("button", { name: "Report a problem" });
  expect(document.activeElement).toBe(screen.getByRole("dialog"));
  fireEvent.click(button);
  expect(reportProblem).toHaveBeenCalledTimes(1);
});

it("offers none where there is nobody to take it", () => {
  open(null);
  expect(screen.queryByRole("button")).toBeNull();
});
