import { expect, it } from "vitest";
import { PortError } from "../ports/error";
import { createErrorLog } from "./errorLog";

const failure = (code: string) => new PortError({ code, message: "x" });
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** An error log whose worker rejects lines with the given codes, and the lines it accepted in order. */
function log(refusals: { [code: string]: PortError }) {
  const taken: string[] = [];
  const errorLog = createErrorLog(
    async ({ message }) => {
      const code = message.slice(0, message.indexOf(":"));
      const refusal = refusals[code];
      if (refusal) throw refusal;
      taken.push(code);
    },
    () => 0,
  );
  const report = async (...codes: string[]) => {
    for (const code of codes) errorLog.report(failure(code), "/faq");
    await settle();
  };
  return { report, taken, refusals };
}

it("a line refused for good doesn't block those behind it", async () => {
  const { report, taken } = log({ bad: new PortError({ code: "bad_request", message: "", status: 400 }) });
  await report("bad", "good");
  expect(taken).toEqual(["good"]);
  await report("more");
  expect(taken).toEqual(["good", "more"]);
});

it("a line that may be accepted later waits, in order, for the next failure", async () => {
  const { report, taken, refusals } = log({
    away: new PortError({ code: "network", message: "", retryable: true }),
  });
  await report("away", "next");
  expect(taken).toEqual([]);
  delete refusals.away;
  await report("last");
  expect(taken).toEqual(["away", "next", "last"]);
});
