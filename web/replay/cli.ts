import build from "../package.json" with { type: "json" };
import { program } from "../src/sagas/program";
import { run } from "./run";

// npm runs a script in the package's folder and tells here where the caller stood.
const folder = process.env.INIT_CWD ?? process.cwd();

process.exitCode = await run(program, process.argv.slice(2), {
  folder,
  build: build.version,
  out: (text) => console.log(text),
  error: (text) => console.error(text),
});
