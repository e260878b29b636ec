import { transform } from "esbuild";
import { parseSync } from "vite";
import { tokensOf } from "./tokens";

/** The lines of a module that imports and re-exports take. */
export function importLines(file: string, text: string): Set<number> {
  const lines = new Set<number>();
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  for (const { type, start, end, ...node } of parseSync(file, text).program.body) {
    const hasSource = "source" in node && node.source !== null;
    if (type !== "ImportDeclaration" && !(type.startsWith("Export") && hasSource)) continue;
    for (let line = lineAt(start); line <= lineAt(end); line++) lines.add(line);
  }
  return lines;
}

/** The lines of a module on which code starts or ends: no comments, types or imports. */
export async function codeLines(file: string, text: string): Promise<Set<number>> {
  const { code, map } = await transform(text, {
    loader: file.endsWith("x") ? "tsx" : "ts",
    jsx: "automatic",
    sourcemap: "external",
    sourcefile: file,
    tsconfigRaw: {},
    logLevel: "silent",
  });
  const imports = importLines(file, text);
  return new Set(tokensOf(code, map).flatMap(({ line }) => (imports.has(line) ? [] : [line])));
}

/** Whether a line has more than brackets. */
export const hasContent = (line: string | undefined): boolean => /[\p{L}\p{N}"'`]/u.test(line ?? "");
