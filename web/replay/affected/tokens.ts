import { eachMapping, TraceMap } from "@jridgewell/trace-mapping";

/** A token of generated code: its offset, and the file and line of its source. */
export interface Token {
  readonly offset: number;
  readonly file: string;
  readonly line: number;
}

/** The tokens of generated code that come from a source, in their order. */
export function tokensOf(code: string, map: string): Token[] {
  const starts = [0];
  for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) starts.push(at + 1);
  const tokens: Token[] = [];
  eachMapping(new TraceMap(map), ({ generatedLine, generatedColumn, source, originalLine }) => {
    if (source === null) return;
    tokens.push({ offset: (starts[generatedLine - 1] as number) + generatedColumn, file: source, line: originalLine });
  });
  return tokens;
}
