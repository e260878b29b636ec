import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import subset from "subset-font";

const WHOLE = new URL(
  "../node_modules/@fontsource-variable/archivo/files/archivo-latin-wdth-normal.woff2",
  import.meta.url,
);
const CACHE = new URL("../node_modules/.cache/font/", import.meta.url);

/** The letters of English and French, and punctuation. `theme/fonts.css` lists the same ranges for browsers. */
const LETTERS: readonly (readonly [from: number, to: number])[] = [
  [0x20, 0x7e],
  [0xa0, 0xff],
  [0x131, 0x131],
  [0x152, 0x153],
  [0x2bb, 0x2bc],
  [0x2c6, 0x2c6],
  [0x2da, 0x2da],
  [0x2dc, 0x2dc],
  [0x2000, 0x206f],
  [0x20ac, 0x20ac],
  [0x2122, 0x2122],
  [0x2191, 0x2191],
  [0x2193, 0x2193],
  [0x2212, 0x2212],
  [0x2215, 0x2215],
];
/** The ranges of weights and widths in the style sheets. */
const AXES = { wght: { min: 400, max: 860 }, wdth: { min: 62, max: 100 } };

/** The site's subset of the font, two thirds of the whole; made once, and cached beside the libraries. */
export async function siteFont(): Promise<string> {
  const whole = readFileSync(WHOLE);
  const key = createHash("sha256")
    .update(whole)
    .update(JSON.stringify([LETTERS, AXES]))
    .digest("hex")
    .slice(0, 16);
  const file = fileURLToPath(new URL(`${key}/archivo-site.woff2`, CACHE));
  if (!existsSync(file)) {
    const letters = LETTERS.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
    const font = await subset(whole, String.fromCodePoint(...letters), { targetFormat: "woff2", variationAxes: AXES });
    mkdirSync(new URL(`${key}/`, CACHE), { recursive: true });
    // A reader never sees a partial file.
    writeFileSync(`${file}.${process.pid}`, font);
    renameSync(`${file}.${process.pid}`, file);
  }
  return file;
}
