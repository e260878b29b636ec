import { selectLoggedIn } from "../slices/auth";
import { selectPositions } from "../slices/positions";
import { useAppSelector } from "./state";
import { useOffered } from "./useOffered";
import { useRead } from "./useRead";

const POSITIONS = { method: "api.listPlayback", args: {} } as const;

/** How far the viewer has watched: as this browser knows it, and as the account does where the API keeps that (PLAYBACK-1). */
export function usePositions() {
  const loggedIn = useAppSelector(selectLoggedIn);
  const isKept = useOffered("playback");
  useRead(loggedIn && isKept ? POSITIONS : null);
  return useAppSelector(selectPositions);
}
