import type { Locator, Page } from "@playwright/test";
import { expect, test } from "../support/journey";
import { register } from "../support/viewer";

test.use({ serviceWorkers: "block" });

// Focus and announcement of every form and refusal: src/journeys/account/refusals.test.ts. This is their layout.

/** A phone, and a phone with its keyboard open. */
const HEIGHTS = [844, 500];

/** Waits until a sentence is in the window and nothing covers it. */
async function isInWindow(sentence: Locator): Promise<void> {
  await expect
    .poll(() =>
      sentence.evaluate((element) => {
        const { top, bottom, left } = element.getBoundingClientRect();
        const isUncovered = [top + 3, bottom - 3].every((y) =>
          element.contains(document.elementFromPoint(left + 12, y)),
        );
        return isUncovered ? "in the window" : `from ${top} to ${bottom} of ${window.innerHeight}`;
      }),
    )
    .toBe("in the window");
}

/** Makes each call of a path fail with the channel's refusal. */
async function refuse(page: Page, path: string, errors: object = {}): Promise<void> {
  const json = { message: "Refused by the channel.", code: "validation", errors };
  await page.route(`**/api/${path}*`, (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 400, json }) : route.fallback(),
  );
}

const REFUSED = "Refused by the channel.";

test("on a phone every refusal is in the window (FORM-3a)", async ({ page }) => {
  const main = page.getByRole("main");
  const press = (name: string | RegExp) => main.getByRole("button", { name, exact: true }).click();
  for (const height of HEIGHTS) {
    await page.setViewportSize({ width: 390, height });

    await page.goto("/login");
    await press("Log in");
    await isInWindow(main.getByText("Enter your Email."));
    await refuse(page, "v2/auth/login");
    await page.getByLabel("Email").fill("vera@viewer.example");
    await page.getByLabel(/^Password/).fill("any password");
    await page.getByLabel(/^Password/).press("Enter");
    await isInWindow(main.getByText(REFUSED));

    await page.goto("/registration");
    await press("Register");
    await isInWindow(main.getByText("Enter your first name."));
    await page.getByLabel("First name").fill("Vera");
    await page.getByLabel("Last name").fill("Quiet");
    await page.getByLabel("Email").fill("vera@viewer.example");
    await page.getByLabel(/^Password/).fill("a good password");
    await page.getByLabel("Confirm password").fill("a good password");
    await press("Register");
    await isInWindow(main.getByText("Please accept terms & conditions."));
    await page.getByRole("checkbox").check();
    await refuse(page, "v2/auth/register");
    await page.getByLabel("First name").press("Enter");
    await isInWindow(main.getByText(REFUSED));
    await page.unroute("**/api/v2/auth/register*");
    await refuse(page, "v2/auth/register", { email: ["This address is taken."] });
    await press("Register");
    await isInWindow(main.getByText("This address is taken."));
    await page.unrouteAll();

    await page.goto("/contacts");
    await press("Send");
    await isInWindow(main.getByText("Field is required.").first());
    await page.getByLabel("Your name").fill("Vera");
    await page.getByLabel("Your email address").fill("vera@viewer.example");
    await page.getByLabel("Topic").selectOption("Paying");
    await press("Send");
    await isInWindow(main.getByText("Field is required."));
    await page.getByLabel("Message").fill("The sound is missing.");
    await refuse(page, "custom-forms/contact");
    await page.getByLabel("Your name").press("Enter");
    await isInWindow(main.getByText(REFUSED));
    await page.unrouteAll();
  }

  await register(page);
  for (const height of HEIGHTS) {
    await page.setViewportSize({ width: 390, height });
    await page.goto("/profile/edit");
    await page.getByLabel(/^Phone/).fill("12");
    await press("Save");
    await isInWindow(main.getByText("A valid phone number is required"));
    await page.getByLabel(/^Phone/).fill("");
    await refuse(page, "profile");
    await page.getByLabel("First name").press("Enter");
    await isInWindow(main.getByText(REFUSED));

    await page.goto("/buy?type=package&package_id=2");
    await press(/^Pay /);
    await isInWindow(main.getByText("Package is TeamPass but team not selected"));
    await page.goto("/buy?event_id=1");
    await press(/^Pay /);
    await isInWindow(main.getByText("Check the card number."));
    await page.getByLabel("Card number").fill("4242424242424242");
    await page.getByLabel("Expires").fill("12/30");
    await page.getByLabel("Security code").fill("123");
    await refuse(page, "stripe/buy");
    await press(/^Pay /);
    await isInWindow(main.getByText(REFUSED));

    await page.goto("/select-package/2");
    await press("Choose team");
    await isInWindow(main.getByText("Package is TeamPass but team not selected"));
    await page.unrouteAll();
  }
});
