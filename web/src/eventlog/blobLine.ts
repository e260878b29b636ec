const BEGINNING = '{"blob":"';
const HASH_LENGTH = 16;

/** A blob's line in a file, which follows the log's lines. */
export const blobLine = (hash: string, text: string): string => `${BEGINNING}${hash}","value":${text}}`;

export const isBlobLine = (line: string): boolean => line.startsWith(BEGINNING);

/** The hash in a blob's line. */
export const hashOfBlobLine = (line: string): string => line.slice(BEGINNING.length, BEGINNING.length + HASH_LENGTH);
