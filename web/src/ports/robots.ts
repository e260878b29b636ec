import { createContext } from "react";

/** The forms that a channel may keep robots out of; the worker wants each token under the name of its form. */
export type GuardedForm = "login" | "register" | "password_reset";

/** The service that tells people from robots (reCAPTCHA), for channels that ask it. */
export interface RobotCheck {
  /** Loads the service's script, once in a page's life. */
  prepare(siteKey: string): void;
  /** A token that works once, for one sending of the form; null when the service gives none in time. */
  token(siteKey: string, form: GuardedForm): Promise<string | null>;
}

/** Where screens find it; the app provides it. Without it nothing of the service is loaded. */
export const RobotCheckContext = createContext<RobotCheck | null>(null);
