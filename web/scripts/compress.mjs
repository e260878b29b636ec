// Puts the smallest brotli beside each text file of dist/assets, as FILE.br: made once here, and sent as it is.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const assets = fileURLToPath(new URL("../dist/assets/", import.meta.url));
const TEXT = /\.(?:css|js|svg)$/;
/** Below this size the worker sends a file as it is. */
const WORTH_BYTES = 860;

const compress = promisify(brotliCompress);
const names = (await readdir(assets)).filter((name) => TEXT.test(name));
const sizes = await Promise.all(
  names.map(async (name) => {
    const plain = await readFile(assets + name);
    if (plain.length < WORTH_BYTES) return 0;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_LGBLOCK]: constants.BROTLI_MAX_INPUT_BLOCK_BITS,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    };
    const small = await compress(plain, { params });
    await writeFile(`${assets}${name}.br`, small);
    return small.length;
  }),
);
const total = sizes.reduce((sum, size) => sum + size, 0);
console.log(`${sizes.filter((size) => size > 0).length} files are ${total} bytes in brotli`);
