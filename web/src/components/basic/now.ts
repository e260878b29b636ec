import { createContext, useCallback, useContext, useEffect, useState } from "react";

/** The device's time in Unix milliseconds: the browser's clock, or a test's. */
export const NowContext = createContext<() => number>(() => Date.now());

/** The channel's clock minus the device's, in milliseconds (START-8). */
export const ClockOffsetContext = createContext(0);

/** Reads the channel's time in Unix milliseconds, for times that came from the channel or go there. */
export function useChannelClock(): () => number {
  const now = useContext(NowContext);
  const offset = useContext(ClockOffsetContext);
  return useCallback(() => now() + offset, [now, offset]);
}

/** `clock`'s time, updated at multiples of `stepMs` so that all clocks of a page tick together. */
function useTicks(clock: () => number, stepMs: number): number {
  const [tick, setTick] = useState(() => ({ clock, moment: clock() }));
  // A corrected clock is displayed at once.
  if (tick.clock !== clock) setTick({ clock, moment: clock() });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(
        () => {
          setTick({ clock, moment: clock() });
          wait();
        },
        stepMs - (clock() % stepMs),
      );
    };
    wait();
    return () => clearTimeout(timer);
  }, [clock, stepMs]);
  return tick.moment;
}

/** The channel's current time: for everything displayed. */
export const useNow = (stepMs: number): number => useTicks(useChannelClock(), stepMs);

/** The device's current time: for durations since a time that this browser recorded. */
export const useDeviceNow = (stepMs: number): number => useTicks(useContext(NowContext), stepMs);
