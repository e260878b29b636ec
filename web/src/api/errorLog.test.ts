import { expect, it } from "vitest";
import { PortError } from "../ports/error";
import { createErrorLog } from "./errorLog";

const failure = (code: string) => new PortError({ code, message: "x" });
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** An error log whose worker rejects lines with the given codes, and the lines it accepted in order. */
function log(refusals: { [code: string]: PortError }) {
  const accepted: string[] = [];
  const errorLog = createErrorLog(
    async ({ message }) => {
      const code = message.slice(0, message.indexOf(":"));
      const refusal = refusals[code];
      if (refusal) throw refusal;
      accepted.push(code);
    },
    () => 0,
  );
  const report = async (...codes: string[]) => {
    for (const code of codes) errorLog.report(failure(code), "/faq");
    await settle();
  };
  return { report, taken: accepted, refusals };
}

it("a line refused for good doesn't block those behind it", async () => {
  const { report, taken: accepted } = log({ bad: new PortError({ code: "bad_request", message: "", status: 400 }) });
  await report("bad", "good");
  expect(accepted).toEqual(["good"]);
  await report("more");
  expect(accepted).toEqual(["good", "more"]);
});

it("a line that may be accepted later waits, in order, for the next failure", async () => {
  const {
    report,
    taken: accepted,
    refusals,
  } = log({
    away: new PortError({ code: "network", message: "", retryable: true }),
  });
  await report("away", "next");
  expect(accepted).toEqual([]);
  delete refusals.away;
  await report("last");
  expect(accepted).toEqual(["away", "next", "last"]);
});
