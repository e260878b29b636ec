// @vitest-environment jsdom
import { act, cleanup, render, screen } from "@testing-library/react";
import { StrictMode, useEffect } from "react";
import { Provider, useDispatch, useSelector } from "react-redux";
import { afterEach, expect, it } from "vitest";
import { replayText } from "./replay";
import { actions, type ProbeState, probeProgram } from "./testing/probe-program";
import { startSession } from "./testing/session";
import { settled } from "./testing/virtual-time";

afterEach(cleanup);

const { order, page } = actions;

function Screen() {
  const dispatch = useDispatch();
  const opened = useSelector((state: ProbeState) => state.page.opened);
  const at = useSelector((state: ProbeState) => state.order.at);
  const popup = useSelector((state: ProbeState) => state.page.popup);
  useEffect(() => {
    dispatch(page.screenOpened());
    return () => {
      dispatch(page.screenClosed());
    };
  }, [dispatch]);
  // Dispatches while React is being notified of the change before.
  useEffect(() => {
    if (at === "processing") dispatch(page.popupShown());
  }, [at, dispatch]);
  return (
    <button type="button" onClick={() => dispatch(order.payPressed())}>
      {`${opened} open, ${at}${popup ? ", popup" : ""}`}
    </button>
  );
}

it("drives React in Strict Mode, whose double effects replay the same", async () => {
  const session = startSession();
  await act(settled);
  render(
    <StrictMode>
      <Provider store={session.store}>
        <Screen />
      </Provider>
    </StrictMode>,
  );
  const button = screen.getByRole("button");
  expect(button.textContent).toBe("1 open, idle");
  act(() => button.click());
  expect(button.textContent).toBe("1 open, processing, popup");
  act(() => session.input("sync", order.statusSeen({ status: "paid", version: 1 })));
  expect(button.textContent).toBe("1 open, paid, popup");
  const log = session.log();
  // Opened, closed, opened: Strict Mode mounts twice.
  expect(log.match(/"type":"page\/screen(Opened|Closed)"/g)).toHaveLength(3);
  expect(replayText(probeProgram, log).status).toBe(0);
});
