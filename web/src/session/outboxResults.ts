import type { UnknownAction } from "@reduxjs/toolkit";
import type { InputOrigin } from "../eventlog/envelope";
import type { Outbox } from "../outbox";
import { outboxInputs } from "../slices/outbox";

export interface OutboxResultsParts {
  readonly outbox: Pick<Outbox, "collect">;
  input(origin: InputOrigin, action: UnknownAction): void;
  /** Settles once everything so far is durable. */
  flush(): Promise<void>;
}

/** Tells the site what became of what waited. The outbox forgets an answer once it is durable that the site heard it. */
export async function collectOutboxResults({ outbox, input, flush }: OutboxResultsParts): Promise<void> {
  await outbox.collect(async (answered) => {
    for (const { place: _, item, ...ended } of answered) {
      // Analytics are never among them: they end without a word.
      if (item.kind === "analytics") continue;
      input("storage", outboxInputs.itemAnswered({ ...item, ...ended }));
    }
    await flush();
  });
}
