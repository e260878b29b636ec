import { createContext } from "react";

/** Forms that a channel may protect from robots; the worker expects each token under its form's name. */
export type GuardedForm = "login" | "register" | "password_reset";

/** The service that tells humans from robots (reCAPTCHA), for channels that require it. */
export interface RobotCheck {
  /** Loads the service's script, once per page. */
  prepare(siteKey: string): void;
  /** A single-use token for one submission; null if the service is too slow. */
  token(siteKey: string, form: GuardedForm): Promise<string | null>;
}

/** Provided by the app. Without it the service isn't loaded. */
export const RobotCheckContext = createContext<RobotCheck | null>(null);
