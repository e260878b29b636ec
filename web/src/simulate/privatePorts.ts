import type { Store } from "@reduxjs/toolkit";
import type { AccountPort, Person } from "../ports/account";
import type { DevicePort } from "../ports/device";
import type { RootState } from "../slices";
import { selectLoggedIn } from "../slices/auth";

/** Stands for each private value, which isn't recorded (LOG-2). */
const PRIVATE = "••••••";

const SOMEBODY: Person = { first_name: PRIVATE, last_name: PRIVATE, email: PRIVATE, phone: PRIVATE };

/** The personal data of a replayed viewer: stand-ins. The visitor's own has no place in a recording. */
export const privateAccount = ({ getState, subscribe }: Store<RootState>): AccountPort => ({
  hold: () => "",
  standIn: (text) => text,
  filledIn: (text) => text,
  person: () => (selectLoggedIn(getState()) ? SOMEBODY : null),
  lastDigits: () => null,
  transactions: () => null,
  question: () => null,
  answer: () => undefined,
  subscribe,
});

/** The codes of a replayed television. The last one never expires. */
export const privateDevice: DevicePort = {
  code: async () => ({ code: PRIVATE, expires: Number.MAX_SAFE_INTEGER }),
};
