// Imports follow the arrows of rooms.js.

import { importsOf } from "../imports.js";
import { arrows, folderOf, isTest, meant, pathOf } from "../rooms.js";

export const borders = {
  create(context) {
    const file = context.filename;
    const folder = folderOf(file);
    if (folder === null) return {};
    if (!Object.hasOwn(arrows, folder)) {
      const message = `${pathOf(file)} belongs to no folder in lint/rooms.js: add its arrows there.`;
      return { Program: (node) => context.report({ node, message }) };
    }
    if (arrows[folder] === "*" || isTest(file)) return {};
    return importsOf((node, specifier) => {
      const refuse = (why) => context.report({ node, message: `${folder} may not import ${why}` });
      if (specifier === null) return refuse("a computed path: no lint can follow it.");
      if (!specifier.startsWith(".")) return;
      const target = meant(file, specifier);
      const into = folderOf(target);
      // A text file is data in any folder.
      const isData = target.endsWith(".jsonl?raw") || (into === null && target.endsWith(".json"));
      if (!isData && !Object.hasOwn(arrows, into))
        refuse(`${pathOf(target)}: it belongs to no folder in lint/rooms.js.`);
      else if (!isData && into !== folder && !arrows[folder].includes(into))
        refuse(`${into}: imports run one way (see lint/rooms.js).`);
      // The tools of replay/ run the journeys that its tests run.
      else if (isTest(target) && folder !== "replay") refuse(`${pathOf(target)}: it is for tests only.`);
    });
  },
};
