import { expect, test } from "../support/journey";

test.use({ serviceWorkers: "block" });

test("a French site uses French elisions, colons and dates, and offers a form where it promises a review (FORM-1, LIST-6)", async ({
  page,
  worker,
}) => {
  const { port } = new URL(worker.origin);
  const open = (path: string) => page.goto(`http://laurentides.localhost:${port}${path}`);
  await open("/?participant=105");
  await expect(page.locator(".team__panel").filter({ hasText: "Forfait équipe" })).toContainText(/^.*Aigles.* : /);
  await expect(page.getByText(/ d[eu] Aigles/)).toHaveCount(0);
  await open("/watch/1");
  await expect(page.getByText(/^Forfait équipe : Pionniers/)).toBeVisible();
  await page.setViewportSize({ width: 360, height: 780 });
  await open("/schedule");
  const today = page.locator(".day-strip__day[aria-current]");
  await expect(today).toBeVisible();
  const isCut = await today.evaluate((day) => {
    const { left, right } = day.getBoundingClientRect();
    const boxes = [...day.querySelectorAll(".day-strip__name")].map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return range.getBoundingClientRect();
    });
    return boxes.some((word) => word.left < left || word.right > right);
  });
  expect(isCut, "the day's name runs out of its day").toBe(false);
  await open("/contacts");
  const form = page.getByRole("region", { name: "Écrivez-nous" });
  await form.getByLabel("Votre nom").fill("Camille Roy");
  await form.getByLabel("Votre courriel").fill("camille@viewers.example");
  await form.getByLabel("Sujet").selectOption("Paiement");
  await form.getByLabel(/^Message/).fill("Mon reçu nomme la mauvaise équipe.");
  await form.getByRole("button", { name: "Envoyer" }).click();
  await expect(form.getByText(/^Envoyé/)).toBeVisible();
});
