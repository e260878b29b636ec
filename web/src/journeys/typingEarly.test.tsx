// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { aBootstrap } from "../sagas/testing/resources";
import { showPage } from "./testing/page";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const CONTACTS = { id: 3, name: "Contacts", alt_name: "contacts", url: "/contacts" };
const CHANNEL = {
  "api.getBootstrap": () => ({ ...aBootstrap(), pages: [CONTACTS] }),
  "api.getPage": () => ({ ...CONTACTS, content: "Call us." }),
  "api.getCustomForm": () => ({
    id: 1,
    alias: "contact",
    name: "Write to us",
    fields: [{ name: "message", label: "Your message", type: "text", required: true, options: [] }],
  }),
};

it("a contact form that arrives before the channel's pages waits for the text above it", async () => {
  let arrive: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await showPage("/contacts", { ...CHANNEL, "api.getBootstrap": () => late.then(CHANNEL["api.getBootstrap"]) });
  await screen.findByRole("heading", { level: 1, name: "Contacts" });
  expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
  arrive();
  const send = await screen.findByRole("button", { name: "Send" });
  expect(screen.getByText("Call us.").compareDocumentPosition(send)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

it("a contact form keeps what was typed while the text above it is read again", async () => {
  let isBroken = true;
  const page = await showPage("/contacts", {
    ...CHANNEL,
    "api.getPage": () => {
      if (isBroken) throw new TypeError("offline");
      return CHANNEL["api.getPage"]();
    },
  });
  const field = await screen.findByLabelText<HTMLInputElement>("Your message");
  fireEvent.change(field, { target: { value: "The sound stops." } });
  isBroken = false;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await page.pass();
  await screen.findByText("Call us.");
  expect(screen.getByLabelText("Your message")).toBe(field);
  expect(field.value).toBe("The sound stops.");
});
