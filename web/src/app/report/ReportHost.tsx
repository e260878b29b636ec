import { lazy, Suspense, useSyncExternalStore } from "react";
import { ReportContext } from "../../components/shell/report";
import type { SitePort } from "../../ports/site";
import type { ReportDialogState } from "./dialogState";

const ReportDialog = lazy(async () => ({ default: (await import("./ReportDialog")).ReportDialog }));

/** Shows the report dialog. It is outside the routes, so it opens even if a screen has crashed. */
export function ReportHost({
  dialogState,
  site,
}: {
  readonly dialogState: ReportDialogState;
  readonly site: SitePort;
}) {
  const isOpen = useSyncExternalStore(dialogState.subscribe, dialogState.isOpen);
  if (!isOpen) return null;
  return (
    // Report dialogs don't offer another report.
    <ReportContext.Provider value={null}>
      <Suspense>
        <ReportDialog site={site} onClose={dialogState.close} />
      </Suspense>
    </ReportContext.Provider>
  );
}
