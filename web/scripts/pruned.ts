import type { Plugin } from "vite";

/** One text of a library's file, and what the build puts in its place. */
export type Edit = readonly [found: RegExp | string, put: string];

/** Counts in `uses` what each edit of a file finds, and makes the edits. */
export function prune(code: string, edits: readonly Edit[], uses: Map<Edit, number>): string {
  return edits.reduce((text, edit) => {
    const [found, put] = edit;
    const isThere = typeof found === "string" ? text.includes(found) : text.search(found) >= 0;
    uses.set(edit, (uses.get(edit) ?? 0) + (isThere ? 1 : 0));
    return text.replace(found, put);
  }, code);
}

/** The edits that found nothing in any file. */
export const unused = (edits: readonly Edit[], uses: ReadonlyMap<Edit, number>): readonly Edit[] =>
  edits.filter((edit) => !uses.get(edit));

/**
 * Leaves parts of a library out of the built site. A library that changed so that an edit finds nothing any more fails
 * the build: the edit would be without effect, and nobody would know.
 */
export function pruned(library: string, files: RegExp, edits: readonly Edit[]): Plugin {
  const uses = new Map<Edit, number>();
  return {
    name: `pruned-${library}`,
    apply: "build",
    transform: { filter: { id: files }, handler: (code) => prune(code, edits, uses) },
    buildEnd(error) {
      const without = error ? [] : unused(edits, uses);
      if (without.length > 0)
        this.error(`${library} has nothing any more of: ${without.map(([found]) => String(found)).join("   ")}`);
    },
  };
}
