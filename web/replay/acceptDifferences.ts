import { resolve } from "node:path";
import { type Accepted, intendedIn, withAccepted } from "../src/eventlog/accepted";
import type { AnyProgram } from "../src/eventlog/folding";
import { parseLog } from "../src/eventlog/parse";
import { generalPath } from "../src/eventlog/pathChanges";
import { earlierBuild } from "./earlierBuild";
import { readText } from "./readText";
import { renderScreens } from "./screens/renderScreens";
import { screenPoints } from "./screens/screenPoints";

export interface AcceptOptions {
  readonly program: AnyProgram;
  /** The build that brings the differences. */
  readonly build: string;
  /** The folder that the files are relative to. */
  readonly folder: string;
  /** The bundle of this build's screens, to accept what they say differently. */
  readonly screens?: string;
  /** The differences accepted so far. */
  readonly accepted: readonly Accepted[];
}

/** Adds the differences of logs from this build, all of one cause. Throws if one can't be intended. */
export async function acceptDifferences(
  cause: string,
  files: readonly string[],
  { program, build, folder, accepted, screens }: AcceptOptions,
): Promise<readonly Accepted[]> {
  let next = accepted;
  for (const file of files) {
    const log = parseLog(await readText(resolve(folder, file)));
    const earlier = await earlierBuild(log.header.build);
    const before = earlier && "program" in earlier ? earlier.program : undefined;
    next = withAccepted(next, intendedIn(program, log, cause, build, before));
    if (screens === undefined || !before) continue;
    const lines = screenPoints([before, program], log, Number.POSITIVE_INFINITY).map(({ line }) => line);
    const result = await renderScreens(program, { file, folder, today: screens, lines });
    if ("unknown" in result) throw new Error(`${file}: ${result.unknown}`);
    const paths = result.differences.flatMap(({ changes }) => changes.map(({ path }) => generalPath(path)));
    if (paths.length > 0) next = withAccepted(next, [{ cause, build, why: "screen", what: null, paths }]);
  }
  return next;
}

/** The text of the file of accepted differences: one JSON object per line. */
export const acceptedText = (accepted: readonly Accepted[]): string =>
  accepted.map((entry) => `${JSON.stringify(entry)}\n`).join("");
