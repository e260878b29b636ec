/** The folder of a stream's master playlist: all other files are below it. */
const folderOf = (url: string): string => new URL(".", new URL(url, globalThis.location.href)).href;

/** A stream whose address changes during playback, while older playlists name parts by earlier addresses. */
export interface RenewedStream {
  /** The current address of its master playlist. */
  entry(): string;
  renew(url: string): void;
  /** The current address of a part. */
  current(address: string): string;
}

export function renewedStream(first: string): RenewedStream {
  let url = first;
  const earlier = new Set<string>();
  return {
    entry: () => url,
    renew(next) {
      earlier.add(folderOf(url));
      url = next;
      earlier.delete(folderOf(next));
    },
    current(address) {
      const folder = [...earlier].find((one) => address.startsWith(one));
      return folder === undefined ? address : `${folderOf(url)}${address.slice(folder.length)}`;
    },
  };
}
