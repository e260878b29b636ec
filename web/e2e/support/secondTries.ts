import type { FullResult, Reporter, Suite } from "@playwright/test/reporter";

/** How many journeys of one run may need their second try; more is a fault of the product or of the journeys. */
const AT_MOST = 2;

/** Names the journeys that passed at their second try, and fails the run where there are too many. */
export default class SecondTries implements Reporter {
  private suite?: Suite;

  onBegin(_: unknown, suite: Suite): void {
    this.suite = suite;
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult["status"] }> {
    const flaky = (this.suite?.allTests() ?? []).filter((journey) => journey.outcome() === "flaky");
    for (const { location, title } of flaky) {
      console.log(`second try: ${location.file.replace(/^.*\/e2e\//, "e2e/")}:${location.line} ${title}`);
    }
    if (flaky.length <= AT_MOST) return { status };
    console.log(`${flaky.length} journeys needed a second try, and at most ${AT_MOST} may: mend them.`);
    return { status: "failed" };
  }

  printsToStdio(): boolean {
    return false;
  }
}
