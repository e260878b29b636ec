// Writes the smallest brotli of each text file of dist/assets beside it, as FILE.br: made once here, and sent as is.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const assets = fileURLToPath(new URL("../dist/assets/", import.meta.url));
const TEXT = /\.(?:css|js|svg)$/;
/** Below this size the worker sends a file uncompressed. */
const MIN_BYTES = 400;

const compress = promisify(brotliCompress);
const paramsFor = (plain) => ({
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
});
/** The smallest mode differs per file. */
const WAYS = [constants.BROTLI_MODE_GENERIC, constants.BROTLI_MODE_TEXT, constants.BROTLI_MODE_FONT].flatMap((mode) =>
  [0, constants.BROTLI_MAX_INPUT_BLOCK_BITS].flatMap((block) =>
    [0, 1].map((postfix) => ({
      [constants.BROTLI_PARAM_MODE]: mode,
      [constants.BROTLI_PARAM_LGBLOCK]: block,
      [constants.BROTLI_PARAM_NPOSTFIX]: postfix,
    })),
  ),
);
const names = (await readdir(assets)).filter((name) => TEXT.test(name));
const sizes = await Promise.all(
  names.map(async (name) => {
    const plain = await readFile(assets + name);
    if (plain.length < MIN_BYTES) return 0;
    const tries = await Promise.all(WAYS.map((way) => compress(plain, { params: { ...way, ...paramsFor(plain) } })));
    const small = tries.reduce((best, other) => (other.length < best.length ? other : best));
    await writeFile(`${assets}${name}.br`, small);
    return small.length;
  }),
);
const total = sizes.reduce((sum, size) => sum + size, 0);
console.log(`${sizes.filter((size) => size > 0).length} files are ${total} bytes in brotli`);
