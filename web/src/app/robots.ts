import type { RobotCheck } from "../ports/robots";

/** What the service's script offers, as far as it is used. */
interface Recaptcha {
  ready(callback: () => void): void;
  execute(siteKey: string, options: { action: string }): PromiseLike<string>;
}
type Guarded = Window & { grecaptcha?: Recaptcha };

const SCRIPT = "https://www.google.com/recaptcha/api.js";
/** How long a form waits for a token, milliseconds: no longer than a viewer does. */
const PATIENCE = 10_000;

function load(siteKey: string): Promise<Recaptcha> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.async = true;
    script.src = `${SCRIPT}?render=${encodeURIComponent(siteKey)}`;
    const fail = () => {
      script.remove();
      reject(new Error("reCAPTCHA cannot be loaded"));
    };
    script.onerror = fail;
    script.onload = () => {
      const { grecaptcha } = window as Guarded;
      if (grecaptcha) grecaptcha.ready(() => resolve(grecaptcha));
      else fail();
    };
    document.head.append(script);
  });
}

/** reCAPTCHA by its script, which is loaded when a form asks for it and never before. */
export function createRobotCheck(): RobotCheck {
  let loaded: Promise<Recaptcha> | null = null;

  function loading(siteKey: string): Promise<Recaptcha> {
    loaded ??= load(siteKey).catch((error: unknown) => {
      // Without a network, say: the next form asks again.
      loaded = null;
      throw error;
    });
    return loaded;
  }

  return {
    prepare(siteKey) {
      loading(siteKey).catch(() => undefined);
    },
    token(siteKey, form) {
      const drawn = loading(siteKey).then((recaptcha) => recaptcha.execute(siteKey, { action: form }));
      return new Promise((resolve) => {
        const patience = setTimeout(() => resolve(null), PATIENCE);
        const settle = (token: string | null) => {
          clearTimeout(patience);
          resolve(token);
        };
        drawn.then(settle, () => settle(null));
      });
    },
  };
}
