import { navigationActions } from "../../slices/navigation";
import type { TestWorld } from "./world";

type Texts = { readonly [name: string]: string };

/** The viewer opens a page. */
export const visits = (world: TestWorld, name: string, path: string, params: Texts = {}, query: Texts = {}): void =>
  world.ui(navigationActions.pageOpened({ page: { name, path, params, query }, remembered: true, trk: null }));
