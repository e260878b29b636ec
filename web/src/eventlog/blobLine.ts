const BEGINNING = '{"blob":"';
const HASH_LENGTH = 16;

/** A blob's line in a file; they stand behind the others. */
export const blobLine = (hash: string, text: string): string => `${BEGINNING}${hash}","value":${text}}`;

/** Whether a line of a file is a blob's. */
export const isBlobLine = (line: string): boolean => line.startsWith(BEGINNING);

/** The hash that a blob's line names. */
export const hashOfBlobLine = (line: string): string => line.slice(BEGINNING.length, BEGINNING.length + HASH_LENGTH);
