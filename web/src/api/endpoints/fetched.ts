import type { ApiMethod, BundledMethod } from ".";
import { accountForms } from "./accountForms";
import { buying } from "./buying";
import { cards } from "./cards";
import { clips } from "./clips";
import type { Endpoints } from "./endpoint";
import { finding } from "./finding";

/** Calls that the home page doesn't make. Their code is loaded with the first of them. */
export const endpoints: Endpoints<Exclude<ApiMethod, BundledMethod>> = {
  ...accountForms,
  ...buying,
  ...cards,
  ...clips,
  ...finding,
};
