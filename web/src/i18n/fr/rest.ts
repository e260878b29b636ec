import type { Translated } from "../en";
import type { rest as english } from "../en/rest";
import { account } from "./account";
import { find } from "./find";
import { pages } from "./pages";
import { purchase } from "./purchase";
import { watching } from "./watching";

/** French texts for all other screens. */
export const rest: Translated<typeof english> = { ...watching, ...account, ...purchase, ...pages, ...find };
