import { expect, test } from "../support/journey";

test("a channel's own pages, colours and offers are what its folder says (START-1, SET-2, PKG-1, SUB-1, LIM-4, EVENT-2, EVENT-5)", async ({
  page,
}) => {
  await page.goto("/contacts");
  await expect(page.getByText("Content submissions are reviewed within 5 business days.")).toBeVisible();
  // Northfield's #070e1a, at a fifth of its opacity.
  const shades = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    const shade = (name: string) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    return ["footer-background-20", "body-background-70", "body-text-color-95", "header-text-color-50"].map(shade);
  });
  expect(shades.map((color) => Number(/[/,] ?([\d.]+)\)$/.exec(color)?.[1]).toFixed(2))).toEqual([
    "0.20",
    "0.70",
    "0.95",
    "0.50",
  ]);

  await page.goto("/packages");
  const offer = (name: string) => page.getByRole("main").locator("article, li").filter({ hasText: name }).first();
  await expect(offer("Kestrels winter pass")).toContainText("$89.00");
  await expect(offer("Kestrels winter pass")).toContainText("plus $6.50 service fee");
  await expect(offer("Monthly subscription")).toContainText("every 30 days");
  await expect(offer("Monthly subscription")).toContainText("7 days free");
  await expect(offer("Annual subscription")).toContainText("every 12 months");
  await expect(page.getByText("All sales are final, with no refunds.")).toBeVisible();

  // The school at home is named last, and a title says nothing of nicknames.
  await page.goto("/?group=northfield");
  await expect(page.getByRole("heading", { level: 1, name: "Northfield Kestrels" })).toBeVisible();
  await expect(page.getByRole("main").getByText("Harbor City @ Northfield").first()).toBeVisible();
  await expect(page.getByRole("main").getByText("Lakeview @ Pine Valley")).toHaveCount(0);
  await page.goto("/upcoming");
  await expect(page.getByLabel("Gender").first().getByRole("option")).toHaveText(["All", "Women", "Men"]);
});
