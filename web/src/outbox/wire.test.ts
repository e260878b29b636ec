import { expect, it } from "vitest";
import { type OutboxMessage, openBroadcast } from "./wire";

it("the browser's channel delivers an outbox's messages to the others, and not back to itself", async () => {
  const [page, worker] = [openBroadcast(), openBroadcast()];
  const [one, other] = [page.of("outbox"), worker.of("outbox")];
  const elsewhere: unknown[] = [];
  worker.of("account").onmessage = ({ data }) => elsewhere.push(data);
  const received = new Promise<unknown>((resolve) => {
    other.onmessage = ({ data }) => resolve(data);
  });
  const back: unknown[] = [];
  one.onmessage = ({ data }) => back.push(data);
  const message: OutboxMessage = { t: "left", ids: ["a"] };
  one.postMessage(message);
  expect(await received).toEqual(message);
  expect(back).toEqual([]);
  expect(elsewhere).toEqual([]);
  page.close();
  worker.close();
});
