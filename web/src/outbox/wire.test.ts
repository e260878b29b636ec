import { expect, it } from "vitest";
import { type OutboxNews, openOutboxWire } from "./wire";

it("the browser's wire takes what one outbox tells to the others, and not back to itself", async () => {
  const [one, other] = [openOutboxWire(), openOutboxWire()];
  const heard = new Promise<unknown>((resolve) => {
    other.onmessage = ({ data }) => resolve(data);
  });
  const back: unknown[] = [];
  one.onmessage = ({ data }) => back.push(data);
  const news: OutboxNews = { t: "left", ids: ["a"] };
  one.postMessage(news);
  expect(await heard).toEqual(news);
  expect(back).toEqual([]);
  one.close();
  other.close();
});
