import { selectSettings } from "../slices/catalogue";
import { useAppSelector } from "./state";

/** Whether anybody answers a call, by its path below `/api/`: in front of an upstream some are switched off (UP-3). */
export const useOffered = (path: string): boolean => !useAppSelector(selectSettings)?.switched_off?.includes(path);
