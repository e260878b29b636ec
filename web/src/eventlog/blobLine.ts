/** A blob's line in a file; they stand behind the others. */
export const blobLine = (hash: string, text: string): string => `{"blob":"${hash}","value":${text}}`;

/** Whether a line of a file is a blob's. */
export const isBlobLine = (line: string): boolean => line.startsWith('{"blob":');
