/** Writes docs/machines.md from the transition tables. The page is not tracked. */
import { writeFileSync } from "node:fs";
import { machines } from "../src/machines/index";
import { machinesPage } from "../src/machines/page";

writeFileSync(new URL("../../docs/machines.md", import.meta.url), machinesPage(machines));
