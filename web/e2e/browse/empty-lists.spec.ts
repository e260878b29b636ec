import { expect, test } from "../support/journey";
import { expectPlaying, follow, pressPay, register } from "../support/viewer";

test("passes and favourites hold what is live, what comes and what was, and say so when they are empty (LIST-4)", async ({
  page,
}) => {
  test.setTimeout(180_000);
  await page.goto("/upcoming?tab=user");
  await expect(page).toHaveURL(/\/login$/);
  await register(page);
  await page.goto("/upcoming?tab=user");
  await expect(page.getByText("No event of your favourites is here yet")).toBeVisible();
  await page.goto("/upcoming?tab=passes");
  await expect(page.getByText("Nothing you bought opens an event yet")).toBeVisible();
  // A live event, which the former list of what comes never held.
  await pressPay(page);
  await expectPlaying(page);
  await page.goto("/upcoming?tab=passes");
  const cards = page.getByRole("main").locator(".fixture-row--columns");
  await expect(cards).toHaveCount(1);
  await expect(cards.first()).toContainText("Harbor City");
  // A pass opens neither what is sold singly alone nor what costs nothing: its tabs leave both out.
  const opened = page.waitForResponse(
    (one) => one.url().includes("package=1&") && one.url().includes("stream_status=live"),
  );
  await page.goto("/live?package=1");
  const live = (await (await opened).json()).data as { id: number; access_type: string }[];
  expect(live.map(({ id, access_type }) => [id, access_type])).toEqual([[1, "paid"]]);
  await expect(cards).toHaveCount(1);
  await page.goto("/?sport=hockey");
  await follow(page, "Hockey");
  const answer = page.waitForResponse(
    (one) => one.url().includes("/events/favorite?") && one.url().includes("finished"),
  );
  await page.goto("/upcoming?tab=user");
  const { data, meta } = await (await answer).json();
  expect(meta.total).toBeGreaterThan(0);
  const card = (id: string) => page.getByRole("main").locator(`a[href="/watch/${id}"]`).first();
  await expect(card(data[0].id)).toBeVisible();
  const more = page.getByRole("button", { name: "Show more" });
  if ((await more.count()) > 0) await more.click();
  await expect(card(data.at(-1).id)).toBeVisible();
  await expect(page.getByRole("main").getByText("LIVE").first()).toBeVisible();
});
