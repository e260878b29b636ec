import { selectLoggedIn } from "../slices/auth";
import { selectPositions } from "../slices/positions";
import { useAppSelector } from "./state";
import { useOffered } from "./useOffered";
import { useRead } from "./useRead";

const POSITIONS = { method: "api.listPlayback", args: {} } as const;

/** The viewer's playback positions, from this browser and, if the API stores them, from the account (PLAYBACK-1). */
export function usePositions() {
  const loggedIn = useAppSelector(selectLoggedIn);
  const isOffered = useOffered("playback");
  useRead(loggedIn && isOffered ? POSITIONS : null);
  return useAppSelector(selectPositions);
}
