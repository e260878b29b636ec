import { account } from "./account";
import { find } from "./find";
import { pages } from "./pages";
import { purchase } from "./purchase";
import { watching } from "./watching";

/** English texts for all other screens, fetched with the first of them. */
export const rest = { ...watching, ...account, ...purchase, ...pages, ...find };
