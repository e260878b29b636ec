declare module "subset-font" {
  interface Options {
    readonly targetFormat?: "sfnt" | "woff" | "woff2";
    readonly variationAxes?: Readonly<Record<string, number | { readonly min: number; readonly max: number }>>;
  }
  /** A font with the glyphs that a text needs, and what of its axes is asked for. */
  export default function subset(font: Buffer, text: string, options?: Options): Promise<Buffer>;
}
