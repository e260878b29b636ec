// Touchline's own lint rules, loaded by oxlint (web/.oxlintrc.json). Each is tested in planted.test.ts.

import { ambient } from "./rules/ambient.js";
import { borders } from "./rules/borders.js";
import { listedPackages } from "./rules/packages.js";
import { replayable } from "./rules/replayable.js";

export default { meta: { name: "touchline" }, rules: { borders, packages: listedPackages, ambient, replayable } };
