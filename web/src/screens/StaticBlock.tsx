import { selectSettings } from "../slices/catalogue";
import { part } from "./lazyWithRetry";
import { useAppSelector } from "./state";

const Prose = part(() => import("../components/text/Prose"));

/**
 * A text that the channel gives for a fixed place of the site (SET-1); nothing where it gives none. Its reader comes
 * when it is needed: who shows it says what stands there until then.
 */
export function StaticBlock({ name }: { readonly name: "contacts" | "library" | "registration" }) {
  const text = useAppSelector(selectSettings)?.static_blocks[name];
  return text && <Prose text={text} />;
}
