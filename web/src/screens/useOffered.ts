import { selectSettings } from "../slices/catalogue";
import { useAppSelector } from "./state";

/** Whether a call, by its path below `/api/`, is available: with an upstream some are switched off (UP-3). */
export const useOffered = (path: string): boolean => !useAppSelector(selectSettings)?.switched_off?.includes(path);
