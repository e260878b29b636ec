// Folders import the packages of packages.js by name: a namespace could hide any member.

import { importsOf } from "../imports.js";
import { packages } from "../packages.js";
import { folderOf, isTest } from "../rooms.js";

export const listedPackages = {
  create(context) {
    const folder = folderOf(context.filename);
    const listed = packages[folder] ?? "*";
    if (listed === "*" || isTest(context.filename)) return {};
    return importsOf((node, specifier, names) => {
      if (specifier === null || specifier.startsWith(".")) return;
      const refuse = (what) =>
        context.report({ node, message: `${folder} may not import ${what}: lint/packages.js lists its packages.` });
      const may = Object.hasOwn(listed, specifier) ? listed[specifier] : null;
      if (may === null) return refuse(specifier);
      if (may !== "*") for (const name of names) if (!may.includes(name)) refuse(`${name} of ${specifier}`);
    });
  },
};
