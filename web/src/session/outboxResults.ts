import type { UnknownAction } from "@reduxjs/toolkit";
import type { InputOrigin } from "../eventlog/envelope";
import type { Outbox } from "../outbox";
import { outboxInputs } from "../slices/outbox";

export interface OutboxResultsDeps {
  readonly outbox: Pick<Outbox, "collect">;
  input(origin: InputOrigin, action: UnknownAction): void;
  /** Settles once everything so far is durable. */
  flush(): Promise<void>;
}

/** Delivers outcomes to the site. The outbox drops an outcome once it is durable that the site received it. */
export async function collectOutboxResults({ outbox, input, flush }: OutboxResultsDeps): Promise<void> {
  await outbox.collect(async (answered) => {
    for (const { place: _, item, ...ended } of answered) {
      // Analytics have no outcome.
      if (item.kind === "analytics") continue;
      input("storage", outboxInputs.itemAnswered({ ...item, ...ended }));
    }
    await flush();
  });
}
