const PREFIX = '{"blob":"';
const HASH_LENGTH = 16;

/** A blob's line in a file, which follows the log's lines. */
export const blobLine = (hash: string, text: string): string => `${PREFIX}${hash}","value":${text}}`;

export const isBlobLine = (line: string): boolean => line.startsWith(PREFIX);

/** The hash in a blob's line. */
export const hashOfBlobLine = (line: string): string => line.slice(PREFIX.length, PREFIX.length + HASH_LENGTH);
