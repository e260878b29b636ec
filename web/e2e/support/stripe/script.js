// The replacement for Stripe's script in journeys: the part of it that the site uses, in frames of the test provider in
// place of Stripe's. It refuses options that the site should not send. It shares no code with the product.
(() => {
  const ORIGIN = new URL(document.currentScript.src).origin;
  const OPTIONS = ["mode", "currency", "allowedPaymentMethodTypes", "locale", "appearance"];

  const post = async (call, body) => {
    const sent = await fetch(`${ORIGIN}/test/${call}`, { method: "POST", body: JSON.stringify(body) });
    return sent.json();
  };
  const unreachable = { error: { type: "api_connection_error", message: "We could not reach the payment provider." } };

  /** Opens a frame of the provider, with a function to call it. */
  function openFrame(path, title, parent) {
    const frame = document.createElement("iframe");
    const pendingAnswers = new Map();
    let count = 0;
    const listen = ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== ORIGIN) return;
      pendingAnswers.get(data.id)?.(data.answer);
    };
    window.addEventListener("message", listen);
    frame.src = ORIGIN + path;
    frame.title = title;
    frame.allow = "payment";
    frame.style.border = "0";
    frame.style.width = "100%";
    frame.style.height = "300px";
    parent.append(frame);
    return {
      frame,
      loaded: new Promise((resolve) => {
        frame.addEventListener("load", resolve);
      }),
      ask: (message) =>
        new Promise((resolve) => {
          count += 1;
          pendingAnswers.set(count, resolve);
          frame.contentWindow.postMessage({ id: count, ...message }, ORIGIN);
        }),
      close() {
        window.removeEventListener("message", listen);
        frame.remove();
      },
    };
  }

  function createElement(kind) {
    if (kind !== "payment") throw new Error(`unknown element ${kind}`);
    const listeners = {};
    let open = null;
    return {
      on: (event, listener) => {
        listeners[event] = listener;
      },
      mount(parent) {
        open = openFrame("/elements/card", "Secure payment input frame", parent);
        open.loaded.then(() => listeners.ready?.({ elementType: "payment" }));
      },
      focus: () => open?.ask({ act: "focus" }),
      destroy: () => open?.close(),
      ask: (message) => {
        if (!open) throw new Error("the element is not mounted");
        return open.ask(message);
      },
    };
  }

  window.Stripe = function Stripe(key) {
    if (!key.startsWith("pk_")) throw new Error("Please call Stripe() with your publishable key.");
    const intentOf = (client_secret) => post("intent", { client_secret });
    return {
      elements(options) {
        const unknown = Object.keys(options).filter((name) => !OPTIONS.includes(name));
        if (unknown.length > 0) throw new Error(`Unrecognized elements() parameters: ${unknown}`);
        if (options.mode !== "setup" || !/^[a-z]{3}$/.test(options.currency)) throw new Error("mode or currency");
        const colours = Object.entries(options.appearance.variables).filter(([name]) => name.startsWith("color"));
        for (const [name, value] of colours)
          if (!/^rgb\(\d+, \d+, \d+\)$/.test(value)) throw new Error(`${name}: ${value} is not a colour`);
        let element = null;
        const isOpened = () => navigator.userActivation.isActive;
        return {
          create(kind) {
            element = createElement(kind);
            return element;
          },
          submit: () => element.ask({ act: "check", isOpened: isOpened() }),
          tokenize: (client_secret) => element.ask({ act: "tokenize", client_secret }),
        };
      },
      async confirmSetup({ elements, clientSecret, redirect, confirmParams }) {
        if (redirect !== "if_required" || !confirmParams.return_url) throw new Error("confirmSetup() parameters");
        const { error, payment_method } = await elements.tokenize(clientSecret).catch(() => unreachable);
        return error ? { error } : { setupIntent: { status: "succeeded", payment_method } };
      },
      async retrievePaymentIntent(client_secret) {
        const paymentIntent = await intentOf(client_secret).catch(() => null);
        return paymentIntent ? { paymentIntent } : unreachable;
      },
      async handleNextAction({ clientSecret }) {
        const intent = await intentOf(clientSecret).catch(() => null);
        if (!intent) return unreachable;
        if (intent.status !== "requires_action")
          return { error: { type: "invalid_request_error", code: "payment_intent_unexpected_state" } };
        if (intent.next_action.type === "redirect_to_url") {
          location.assign(intent.next_action.redirect_to_url.url);
          return new Promise(() => undefined);
        }
        const bank = openFrame("/elements/bank", "3D Secure authentication", document.body);
        bank.frame.style.position = "fixed";
        bank.frame.style.inset = "0";
        bank.frame.style.height = "100%";
        bank.frame.style.zIndex = "2147483647";
        bank.frame.style.background = "white";
        await bank.loaded;
        const accept = await bank.ask({ act: "ask" });
        bank.close();
        const { status } = await post("answer", { client_secret: clientSecret, accept });
        if (status === "succeeded") return { paymentIntent: await intentOf(clientSecret) };
        return { error: { type: "card_error", code: "payment_intent_authentication_failure", message: "It failed." } };
      },
    };
  };
})();
