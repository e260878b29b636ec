import { createContext, useContext, useEffect, useState } from "react";

/** The current time in Unix milliseconds: the browser's clock, or a test's. */
export const NowContext = createContext<() => number>(() => Date.now());

/** The current time, updated at multiples of `stepMs` so that all clocks of a page tick together. */
export function useNow(stepMs: number): number {
  const now = useContext(NowContext);
  const [moment, setMoment] = useState(now);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(
        () => {
          setMoment(now());
          wait();
        },
        stepMs - (now() % stepMs),
      );
    };
    wait();
    return () => clearTimeout(timer);
  }, [now, stepMs]);
  return moment;
}
