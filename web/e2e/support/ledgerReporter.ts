import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { FullResult, Reporter, Suite, TestCase } from "@playwright/test/reporter";
import { faultsOf, nameOf, readHistory, readLedger, statusOf } from "./ledger";

/** Number of characters of an error that are repeated at the end. */
const SHORT = 600;

/** A test's title path starts with the root, the project and the file. */
const journeyOf = (test: TestCase): string => nameOf(test.location.file, test.titlePath().slice(3));

/** The error and its place, for whoever has only the end of the output. */
function inShort(test: TestCase): string {
  const { message = "no error", location } = test.results.at(-1)?.error ?? {};
  const at = location ? `${relative(process.cwd(), location.file)}:${location.line}` : "";
  return `failed: ${journeyOf(test)}\n  ${at}: ${stripVTControlCharacters(message).slice(0, SHORT).replace(/\n+/g, "\n  ")}`;
}

/** Applies `unstable.json` to a run: a listed journey reports without failing it, and a faulty ledger fails it. */
export default class LedgerReporter implements Reporter {
  private suite?: Suite;
  private isWhole = true;

  onBegin(_: unknown, suite: Suite): void {
    this.suite = suite;
  }

  onError(): void {
    this.isWhole = false;
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult["status"] }> {
    const entries = readLedger();
    const faults = faultsOf(entries, readHistory(), new Date());
    const tests = this.suite?.allTests() ?? [];
    for (const { journey, cause, since } of entries)
      for (const test of tests.filter((one) => journeyOf(one) === journey))
        console.log(`unstable since ${since} (${test.outcome()}): ${journey}: ${cause}`);
    for (const fault of faults) console.log(`e2e/unstable.json: ${fault}`);
    const failed = tests.filter((test) => test.outcome() === "unexpected");
    for (const test of failed) console.log(inShort(test));
    return { status: statusOf(status, failed.map(journeyOf), entries, faults, this.isWhole) };
  }

  printsToStdio(): boolean {
    return false;
  }
}
