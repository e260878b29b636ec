declare module "subset-font" {
  interface Options {
    readonly targetFormat?: "sfnt" | "woff" | "woff2";
    readonly variationAxes?: Readonly<Record<string, number | { readonly min: number; readonly max: number }>>;
  }
  /** A font with the glyphs of a text, and the requested ranges of its axes. */
  export default function subset(font: Buffer, text: string, options?: Options): Promise<Buffer>;
}
