const WIDTHS = [320, 640, 960, 1280, 1920];
const PHOTOGRAPH = /^\/media\/[^/?#]+\/(?![scd]\/)[^?#, ]+\.(?:jpe?g|png|webp)$/i;

/**
 * The `srcset` of an operator's photograph, which the worker resizes to these widths (FAST-6). Undefined for drawings
 * and pictures of other hosts.
 */
export const srcSetOf = (address: string): string | undefined =>
  PHOTOGRAPH.test(address) ? WIDTHS.map((width) => `${address}?width=${width} ${width}w`).join(", ") : undefined;
