import build from "../package.json" with { type: "json" };
import { methods } from "../src/ports/ask";
import { rootSaga } from "../src/sagas/root";
import { rootReducer } from "../src/slices/index";
import { run } from "./run";

// npm runs a script in the package's folder and tells here where the caller stood.
const folder = process.env.INIT_CWD ?? process.cwd();

process.exitCode = await run({ reducer: rootReducer, rootSaga, methods }, process.argv.slice(2), {
  folder,
  build: build.version,
  out: (text) => console.log(text),
  error: (text) => console.error(text),
});
