import { selectSettings } from "../slices/catalogue";
import { part } from "./lazyWithRetry";
import { useAppSelector } from "./state";

const Prose = part(() => import("../components/text/Prose"));

/**
 * A channel's text for a fixed position on the site (SET-1); nothing if the channel has none. Its renderer is loaded on
 * demand: the caller provides a fallback.
 */
export function StaticBlock({ name }: { readonly name: "contacts" | "library" | "registration" }) {
  const text = useAppSelector(selectSettings)?.static_blocks[name];
  return text && <Prose text={text} />;
}
