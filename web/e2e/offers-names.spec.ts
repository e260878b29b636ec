import { copiedChannels } from "./support/channels";
import { expect, test } from "./support/journey";

const channels = copiedChannels();
channels.setEvent(1, (event) => ({ ...event, participant_ids: [101, 102] }));

test.use({ flags: ["--channels", channels.path] });
test.afterAll(() => channels.remove());

test("the team at home is named last whatever the order, and a pass by how long it holds (EVENT-2, PKG-1)", async ({
  page,
}) => {
  await page.goto("/watch/1");
  const title = page.getByRole("heading", { level: 1 });
  await expect(title).toHaveText(/Harbor City.*@.*Northfield/);
  await expect(page.locator(".watch__teams .team-card").first()).toContainText("Harbor City");
  await page.goto("/packages");
  const card = (name: string) => page.getByRole("article").filter({ has: page.getByRole("heading", { name }) });
  await expect(card("Kestrels winter pass")).toContainText("Season pass");
  await expect(card("Weekend pass")).not.toContainText("Season pass");
});
