import { createContext } from "react";

/** Opens the problem report (OPS-5); null if reports can't be sent. Provided by the app. */
export const ReportContext = createContext<(() => void) | null>(null);
