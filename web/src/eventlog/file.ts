/** Maximum size of a log file, packed or not, in bytes: many times a session's log in a browser. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

export const TOO_LONG = `larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`;

export const DAMAGED = "a damaged or truncated compressed file";

/** Whether a file is compressed, as the worker stores a report's log. */
export const isPacked = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
