// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { NowContext } from "../basic/now";
import { OfflineBanner } from "./OfflineBanner";

afterEach(cleanup);

it("tells how old what is shown is, and never that it is still to come", () => {
  const now = Date.UTC(2026, 10, 21, 14, 43);
  render(
    <NowContext.Provider value={() => now}>
      <OfflineBanner unreachable={false} updatedAt={now + 20_000} onRetry={() => undefined} />
    </NowContext.Provider>,
  );
  expect(screen.getByRole("status").textContent).toMatch(/Last updated today .*, just now\./);
});
