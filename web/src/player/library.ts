/** hls.js, fetched once. */
export const hlsLibrary = async () => (await import("hls.js")).default;
