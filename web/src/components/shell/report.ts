import { createContext } from "react";

/** Opens the report of a problem (OPS-5); null where there is nobody to take it. The app provides it. */
export const ReportContext = createContext<(() => void) | null>(null);
