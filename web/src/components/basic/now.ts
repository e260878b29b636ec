import { createContext, useContext, useEffect, useState } from "react";

/** Where components take the moment from, Unix milliseconds: the browser's clock, or a test's. */
export const NowContext = createContext<() => number>(() => Date.now());

/** The moment, told anew every `stepMs`, on the step's own edges, so that all clocks of a page tick together. */
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
