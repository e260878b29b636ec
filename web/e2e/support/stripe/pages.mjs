// The test provider's frames, and a bank's own page.
import { readFileSync } from "node:fs";

const page = (title, body, script = "") =>
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>body{font:16px sans-serif;margin:12px}label{display:block;margin:8px 0}input,button{font:inherit;min-height:44px}
[role=alert]{color:#a00}</style>${body}<script>${script}</script></html>`;

/** Sends the values of `acts` to the surrounding page, by the name of each. */
const ANSWERS = `
addEventListener("message", async ({ data, source, origin }) => {
  source.postMessage({ id: data.id, answer: await acts[data.act](data) }, origin);
});`;

const CARD = page(
  "Payment element",
  `<div role="tablist"><button type="button" role="tab" id="card" aria-selected="true">Card</button>
   <button type="button" role="tab" id="wallet" aria-selected="false">Google Pay</button></div>
   <div id="fields"><label>Card number <input id="number" autocomplete="cc-number" inputmode="numeric"></label>
   <label>Expiration date <input id="exp" autocomplete="cc-exp" placeholder="MM / YY"></label>
   <label>Security code <input id="cvc" autocomplete="cc-csc" placeholder="CVC"></label></div>
   <p role="alert" id="fault"></p>`,
  `
const at = (id) => document.getElementById(id);
let isWallet = false;
const choose = (next) => {
  isWallet = next;
  at("fields").hidden = next;
  at("card").ariaSelected = String(!next);
  at("wallet").ariaSelected = String(next);
};
at("card").onclick = () => choose(false);
at("wallet").onclick = () => choose(true);
const fault = (message) => {
  at("fault").textContent = message;
  return { error: { type: "validation_error", message } };
};
const acts = {
  focus: () => at("number").focus(),
  check({ isOpened }) {
    at("fault").textContent = "";
    if (isWallet) return isOpened ? {} : fault("A wallet opens within a press alone.");
    if (at("number").value.replace(/ /g, "").length < 16) return fault("Your card number is incomplete.");
    if (!/^\\d\\d ?\\/ ?\\d\\d$/.test(at("exp").value)) return fault("Your card's expiration date is incomplete.");
    if (at("cvc").value.length < 3) return fault("Your card's security code is incomplete.");
    return {};
  },
  async tokenize({ client_secret }) {
    const number = isWallet ? "4242424242424242" : at("number").value;
    const sent = await fetch("/test/card", { method: "POST", body: JSON.stringify({ client_secret, number }) });
    return sent.json();
  },
};
${ANSWERS}`,
);

const BANK = page(
  "3D Secure",
  `<h1>Kestrel Bank</h1><p>Authorise this payment?</p>
   <button type="button" value="yes">Complete</button> <button type="button" value="no">Fail</button>
   <button type="button" value="no">Close</button>`,
  `
const acts = {
  ask: () => new Promise((resolve) => {
    for (const button of document.querySelectorAll("button")) button.onclick = () => resolve(button.value === "yes");
  }),
};
${ANSWERS}`,
);

const SCRIPT = readFileSync(new URL("script.js", import.meta.url), "utf8");
const html = (text) => ({ type: "text/html; charset=utf-8", text });

/** The bank's own page, which returns to the shop's address. */
const bankPage = (intent) =>
  page(
    "Kestrel Bank",
    `<h1>Kestrel Bank</h1><p>Authorise this payment of ${intent.amount}?</p><form method="post">
     <button name="accept" value="yes">Approve</button> <button name="accept" value="no">Refuse</button></form>`,
  );

/** The customer portal: payments, and a link back. */
const portal = ({ return_url }, paid) =>
  page(
    "Billing portal",
    `<h1>Billing portal</h1><ul>${paid.map(({ id, amount }) => `<li>${id}: ${amount}</li>`).join("")}</ul>
     <a href="${return_url.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">Return to the site</a>`,
  );

/** The answer to a browser's path: `{type, text}` or `{to}`; nothing at an unknown one. */
export function pageAt(path, form, books, billing) {
  if (path === "/stripe.js") return { type: "text/javascript", text: SCRIPT };
  if (path === "/elements/card") return html(CARD);
  if (path === "/elements/bank") return html(BANK);
  const session = path.startsWith("/portal/") ? books.objects.get(path.slice(8)) : undefined;
  if (session) {
    const paid = books.of("payment_intent", "customer", session.customer);
    return html(portal(session, paid));
  }
  const intent = path.startsWith("/bank/") ? books.objects.get(path.slice(6)) : undefined;
  if (!intent) return undefined;
  if (form === undefined) return html(bankPage(intent));
  const { return_url } = intent.next_action.redirect_to_url;
  billing.authenticate(intent, form.get("accept") === "yes");
  const to = new URL(return_url);
  to.searchParams.set("payment_intent", intent.id);
  to.searchParams.set("payment_intent_client_secret", intent.client_secret);
  to.searchParams.set("redirect_status", intent.status === "succeeded" ? "succeeded" : "failed");
  return { to: to.href };
}
