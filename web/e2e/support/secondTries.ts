import type { FullResult, Reporter, Suite } from "@playwright/test/reporter";

/** One journey of so many may need its second try; more is a fault of the product or of the journeys. */
const ONE_IN = 50;

/** Names the journeys that passed at their second try, and fails the run where there are too many. */
export default class SecondTries implements Reporter {
  private suite?: Suite;

  onBegin(_: unknown, suite: Suite): void {
    this.suite = suite;
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult["status"] }> {
    const all = this.suite?.allTests() ?? [];
    const flaky = all.filter((journey) => journey.outcome() === "flaky");
    const atMost = Math.ceil(all.length / ONE_IN);
    for (const { location, title } of flaky) {
      console.log(`second try: ${location.file.replace(/^.*\/e2e\//, "e2e/")}:${location.line} ${title}`);
    }
    if (flaky.length <= atMost) return { status };
    console.log(`${flaky.length} journeys needed a second try, and at most ${atMost} may: mend them.`);
    return { status: "failed" };
  }

  printsToStdio(): boolean {
    return false;
  }
}
