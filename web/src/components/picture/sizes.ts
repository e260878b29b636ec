const WIDTHS = [320, 640, 960, 1280, 1920];
const PHOTOGRAPH = /^\/media\/[^/?#]+\/(?![scd]\/)[^?#, ]+\.(?:jpe?g|png)$/i;

/**
 * The `srcset` of a photograph of the operator's, which the worker makes in these widths (FAST-6). Undefined for what is
 * shown as it is: drawings, and what another host serves.
 */
export const srcSetOf = (address: string): string | undefined =>
  PHOTOGRAPH.test(address) ? WIDTHS.map((width) => `${address}?width=${width} ${width}w`).join(", ") : undefined;
