import type { RobotCheck } from "../ports/robots";

/** The subset of reCAPTCHA's API in use. */
interface Recaptcha {
  ready(callback: () => void): void;
  execute(siteKey: string, options: { action: string }): PromiseLike<string>;
}
type Guarded = Window & { grecaptcha?: Recaptcha };

const SCRIPT = "https://www.google.com/recaptcha/api.js";
/** Maximum wait for a token, in milliseconds. */
const TOKEN_TIMEOUT_MS = 10_000;

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

/** Loads reCAPTCHA's script on first use. */
export function createRobotCheck(): RobotCheck {
  let loaded: Promise<Recaptcha> | null = null;

  function loading(siteKey: string): Promise<Recaptcha> {
    loaded ??= load(siteKey).catch((error: unknown) => {
      // After a failure, such as no network, the next form tries again.
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
        const patience = setTimeout(() => resolve(null), TOKEN_TIMEOUT_MS);
        const settle = (token: string | null) => {
          clearTimeout(patience);
          resolve(token);
        };
        drawn.then(settle, () => settle(null));
      });
    },
  };
}
