/** The folder that an address of a stream's entry stands for: all else of the stream is below it. */
const folderOf = (url: string): string => new URL(".", new URL(url, globalThis.location.href)).href;

/** A stream whose address changes while it plays: playlists that were read before name their parts by the earlier ones. */
export interface RenewedStream {
  /** What its entry is asked for under. */
  entry(): string;
  renew(url: string): void;
  /** What a part of it is asked for under now. */
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
