import type { PortErrorJson } from "../ports/world";

/** The channel does not have it, or no longer. A proxy's plain 404 says nothing about the channel. */
export const isRemoved = ({ code, status }: PortErrorJson): boolean => code === "not_found" || status === 410;
