// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page, VERA } from "../testing/journey";

type Fill = (field: HTMLInputElement | HTMLTextAreaElement, value: string) => void;

/** Password managers that set values without an event that React handles. */
const FILLS: { readonly [name: string]: Fill } = {
  "without an event": (field, value) => {
    const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
    Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
  },
  "with React's own setter": (field, value) => {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  },
};

type Values = readonly (readonly [string | RegExp, string])[];

for (const [how, fill] of Object.entries(FILLS)) {
  const fillAll = async (page: Page, values: Values): Promise<void> => {
    for (const [label, value] of values) fill(await page.main.field(label), value);
  };
  const bodyOf = async (page: Page, operation: string) =>
    page.browser.until(() => page.channel.requests(operation).at(-1)?.body ?? expect.fail(`no ${operation}`));

  journey(`a visitor's forms submit fields that are filled ${how} (FORM-4)`, async (page) => {
    await page.goto("/registration");
    await fillAll(page, [
      ["First name", VERA.first_name],
      ["Last name", VERA.last_name],
      ["Email", VERA.email],
      [/^Password/, VERA.password],
      ["Confirm password", VERA.password],
    ]);
    (await page.main.field(/terms/i)).checked = true;
    await page.main.press("Register");
    await page.isAt("/verify-notice");
    await page.goto("/profile");
    await page.main.press("Log out");
    await page.isAt(/^\/login/);
    await page.goto("/password-reset-request");
    await fillAll(page, [["Email", VERA.email]]);
    await page.main.press("Send link");
    await page.sees(/we’ve sent a link/);
    await page.openEmail("password");
    await fillAll(page, [
      [/^New password/, "another good password"],
      ["Confirm password", "another good password"],
    ]);
    await page.main.press("Save password");
    await page.main.sees("Your password has been changed. You can log in now.");
    await page.goto("/login");
    await fillAll(page, [
      ["Email", VERA.email],
      [/^Password/, "another good password"],
    ]);
    await page.main.press("Log in");
    await page.isAt(/^(?!\/login)/);
    await page.goto("/contacts");
    await fillAll(page, [
      ["Your name", "Vera"],
      ["Your email address", VERA.email],
      ["Message", "The sound is missing."],
    ]);
    ((await page.main.field("Topic")) as Element as HTMLSelectElement).value = "Paying";
    await page.main.press("Send");
    expect(await bodyOf(page, "POST /api/custom-forms/{alias}")).toMatchObject({
      answers: { name: "Vera", email: VERA.email, topic: "Paying", message: "The sound is missing." },
    });
  });

  journey(`a viewer's forms submit fields that are filled ${how} (FORM-4)`, async (page) => {
    await page.signIn({ email_verified: true, capabilities: ["watch", "clipping", "no_ads"] });
    await page.goto("/profile/edit");
    await fillAll(page, [
      ["First name", "Veronika"],
      ["Current password", VERA.password],
      [/^New password/, "another good password"],
      ["Confirm password", "another good password"],
    ]);
    await page.main.press("Save");
    await page.main.sees("Your profile has been saved.");
    expect(await bodyOf(page, "POST /api/profile")).toMatchObject({ first_name: "Veronika" });
    await page.goto("/profile/sessions/add");
    await fillAll(page, [["Code", "ABCDEF"]]);
    await page.main.press("Link device");
    expect(await bodyOf(page, "POST /api/auth/add_session")).toMatchObject({ code: "ABCDEF" });

    await page.goto("/buy?event_id=1");
    await page.main.press("Add a promo code");
    await fillAll(page, [["Promo code", "TYPED"]]);
    await fillAll(page, [
      ["Card number", CARDS.pays],
      ["Expires", "12/30"],
      ["Security code", "123"],
    ]);
    await page.main.press(/^Pay /);
    await page.main.sees("Apply the code or remove it.");
    await page.main.press("Apply");
    await page.browser.until(() =>
      expect(page.channel.requests("GET /api/apply_coupon").at(-1)?.query.get("promo_code")).toBe("TYPED"),
    );
    await page.main.press(/^Pay /);
    await bodyOf(page, "POST /api/stripe/buy");

    await page.goto("/watch/25");
    await page.main.press("Watch");
    await page.plays();
    await page.press("Clip");
    await fillAll(page, [["Name", "The end"]]);
    await page.press("Goal");
    await page.press("Create clip");
    expect(await bodyOf(page, "POST /api/clip")).toMatchObject({ name: "The end" });
  });
}
