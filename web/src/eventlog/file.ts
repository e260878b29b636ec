/** The longest file of a log, as it is or unpacked, bytes: many times what a browser keeps of one session. */
export const LONGEST_FILE = 64 * 1024 * 1024;

/** Why a longer one is not read. */
export const TOO_LONG = `larger than ${LONGEST_FILE / 1024 / 1024} MB`;

/** Why a compressed one is not. */
export const DAMAGED = "a compressed file that is damaged, or cut";

/** Whether a file is compressed, as the worker stores a report's log. */
export const isPacked = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
