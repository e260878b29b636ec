// @vitest-environment jsdom
import { expect } from "vitest";
import { CARDS, journey, type Page, VERA } from "../testing/journey";

interface Answers {
  readonly first?: string;
  readonly last?: string;
  readonly email?: string;
  readonly password?: string;
  readonly again?: string;
}

/** Fills in the registration form and submits it; the terms are accepted once. */
async function register({ main }: Page, { first, last, email, password, again }: Answers): Promise<void> {
  await main.fill("First name", first ?? "");
  await main.fill("Last name", last ?? "");
  await main.fill("Email", email ?? "");
  await main.fill(/^Password/, password ?? "");
  await main.fill("Confirm password", again ?? "");
  await main.press("Register");
}

const WHOLE = {
  first: VERA.first_name,
  last: VERA.last_name,
  email: VERA.email,
  password: VERA.password,
  again: VERA.password,
};

journey(
  "a registration names each missing or invalid field (AUTH-6, ERR-8, VAL-1, VAL-5, VAL-6, AUTH-1a)",
  async (page) => {
    await page.goto("/registration");
    await register(page, {});
    for (const text of [
      "Enter your first name.",
      "Enter your last name.",
      "Enter your Email.",
      "The password is too short.",
      "Please accept terms & conditions.",
    ])
      await page.main.sees(text);
    await page.main.choose(/terms/i);
    for (const email of ["vera", "vera@home", "vera@home.c", `${"v".repeat(65)}@viewer.example`, "vera@[300.1.1.1]"]) {
      await register(page, { ...WHOLE, email });
      await page.main.sees("A valid email address is required");
    }
    const right = { ...WHOLE, email: "12345@[192.168.0.1]" };
    await register(page, { ...right, password: "seven77", again: "seven77" });
    await page.main.sees("The password is too short.");
    await register(page, { ...right, again: "another password" });
    await page.main.sees("The password and password confirmation do not match.");
    await register(page, { ...right, first: "V".repeat(101) });
    await page.main.sees("Field length must be less than 100.");
    expect(page.channel.requests("POST /api/v2/auth/register")).toEqual([]);
    // An all-digit local part and a bracketed IP address are valid.
    await register(page, right);
    await page.isAt("/verify-notice");
  },
);

journey("existing and unknown addresses get their own messages (ERR-8, AUTH-2, CALL-2)", async (page) => {
  await page.signIn();
  await page.goto("/profile");
  await page.main.press("Log out");
  await page.within("header").sees(/^log in$/i);
  await page.goto("/registration");
  await page.main.choose(/terms/i);
  await register(page, WHOLE);
  await page.sees("The email address you have entered is already registered.");
  await page.goto("/login");
  await page.fill("Email", VERA.email);
  await page.fill(/^Password/, "not the password");
  await page.main.press("Log in");
  await page.sees("Invalid email or password. Please try again.");
});

journey(
  "registering sends an email; a new address applies once it is confirmed (AUTH-4f, AUTH-13a, AUTH-13b, VAL-6)",
  async (page) => {
    await page.goto("/faq");
    await page.within("header").press("Register");
    await page.isAt("/registration");
    await page.main.choose(/terms/i);
    await register(page, WHOLE);
    await page.isAt("/verify-notice");
    await page.press("Continue");
    await page.isAt("/faq");
    const { keys } = page.channel.state.people;
    const before = page.channel.requests("POST /api/v2/auth/register")[0]?.key ?? "";
    await page.reload();
    await page.within("header").sees(/^Your account/);
    const key = page.channel.requests("GET /api/profile").at(-1)?.key ?? "";
    expect([key === before, keys.get(key)?.email]).toEqual([false, VERA.email]);
    await page.goto("/profile/edit");
    await page.fill("Email", "vera.new@viewer.example");
    await page.press("Save");
    await page.sees("Field is required.");
    await page.fill("Current password", VERA.password);
    await page.press("Save");
    await page.sees("Open the link we sent to vera.new@viewer.example.");
    expect((await page.field("Email")).value).toBe(VERA.email);
    await page.openEmail("Confirm your new email address");
    await page.press("Confirm email");
    await page.sees("Your email is confirmed.");
    await page.goto("/profile/edit");
    await page.browser.until(() =>
      expect(page.all("input").map((one) => (one as HTMLInputElement).value)).toContain("vera.new@viewer.example"),
    );
    expect(page.channel.state.people.mail.at(-1)).toMatchObject({
      to: VERA.email,
      subject: "Your email address was changed",
    });
  },
);

journey("the profile shows an unconfirmed address, and offers to resend the email (AUTH-4a)", async (page) => {
  await page.signIn();
  await page.goto("/profile");
  await page.sees(`Confirm ${VERA.email} to create clips.`);
  await page.main.press("Send confirmation link");
  await page.isAt("/verify-notice");
});

journey("an impossible telephone number is refused (VAL-2, CALL-3)", async (page) => {
  const vera = await page.signIn();
  await page.goto("/profile/edit");
  for (const wrong of ["12345", "+1 555 abc 4567", "1234567890123456"]) {
    await page.fill(/^Phone/, wrong);
    await page.main.press("Save");
    await page.sees("A valid phone number is required");
  }
  await page.fill(/^Phone/, "+1 (555) 123-4567");
  await page.main.press("Save");
  await page.main.sees("Your profile has been saved.");
  await page.lacks("A valid phone number is required");
  expect(vera.phone).toMatch(/555/);
});

journey(
  "a temporary password restricts the viewer to their profile until they choose their own (NAV-1)",
  async (page) => {
    const chosen = "a password of my own";
    const logIn = async (password: string): Promise<void> => {
      await page.goto("/login");
      await page.fill("Email", "temporary@northfield.example");
      await page.fill(/^Password/, password);
      await page.main.press("Log in");
    };
    await logIn("touchline");
    await page.isAt("/profile/edit");
    await page.goto("/upcoming");
    await page.isAt("/profile/edit");
    await page.fill("Current password", "touchline");
    await page.fill(/^New password/, chosen);
    await page.fill("Confirm password", chosen);
    await page.press("Save");
    await page.sees("Your profile has been saved.");
    // Client-side, by the address: the confirmation must hold without a reload.
    await page.goto("/upcoming");
    await page.sees("Schedule");
    await page.isAt("/upcoming");
    await page.goto("/profile");
    await page.main.press("Log out");
    await page.within("header").sees(/^log in$/i);
    await logIn(chosen);
    await page.isAt(/^\/(?!login)/);
  },
);

journey(
  "a viewer enters a device's code, and the device is listed and unlinked (AUTH-5a, AUTH-5b, VAL-6)",
  async (page) => {
    const vera = await page.signIn();
    const { people } = page.channel.state;
    const television = people.issueKey(null);
    people.codes.set("TV4711", television);
    await page.goto("/profile/sessions/add");
    await page.fill("Code", "ABC");
    await page.main.press("Link device");
    await page.sees("Field length must be greater than 5.");
    await page.fill("Code", "TV4711");
    await page.main.press("Link device");
    await page.main.sees("Your device is linked.");
    expect(people.keys.get(television)).toBe(vera);
    await page.main.sees("Television");
    await page.main.press("Unlink");
    await page.main.lacks("Television");
    expect(people.keys.has(television)).toBe(false);
  },
);

journey("a television shows a code, and opens once it was entered elsewhere (AUTH-5a)", async (page) => {
  const vera = page.channel.state.people.add(VERA);
  await page.goto("/login");
  await page.press("Log in with a code");
  await page.isAt("/device");
  await page.within(".device-code").sees(/^[A-Z0-9]{6}$/);
  const code = page.within(".device-code").text();
  const key = page.channel.state.people.codes.get(code) ?? "";
  page.channel.state.people.attach(key, vera, "Television");
  await page.isAt("/");
  await page.goto("/profile");
  await page.sees(VERA.first_name);
});

journey("a channel whose remote_auth is 0 links no devices (SET-1a)", async (page) => {
  page.channel.state.catalogue.settings.auth = { remote_auth: 0, providers: [] };
  await page.goto("/login");
  await page.field("Email");
  await page.settles();
  expect(page.can("Log in with a code")).toBe(false);
});

journey("a payment's card is nowhere in the browser's storage (LOG-2)", async (page) => {
  await page.signIn();
  await page.goto("/profile");
  await page.press("Add a card");
  await page.enterCard(CARDS.pays);
  await page.press("Save card");
  await page.sees("Visa ending in 4242");
});
