import { copiedChannels } from "./support/channels";
import { expect, test } from "./support/journey";

const channels = copiedChannels();
channels.setEvent(1, (event) => ({ ...event, participant_ids: [101, 102] }));
const pages = channels.read<{ id: number }[]>("pages.json");
channels.write("pages.json", [
  ...pages,
  { id: 901, url: "/équipe/à-propos", alt_name: "equipe", name: "À propos de l’équipe", content: "Douze joueuses." },
  { id: 902, url: "/caf%C3%A9", alt_name: "cafe", name: "Le café", content: "Ouvert dès midi." },
]);

// One copy of the channels for all: the first to end would take it from the others.
test.describe.configure({ mode: "default" });
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

test("a content page is found by an address with accents, however they are written (ROUTE-10)", async ({ page }) => {
  for (const [path, text] of [
    ["/équipe/à-propos", "Douze joueuses."],
    ["/%C3%A9quipe/%C3%A0-propos/", "Douze joueuses."],
    ["/café", "Ouvert dès midi."],
  ] as const) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(200);
    await expect(page.getByText(text), path).toBeVisible();
  }
});
