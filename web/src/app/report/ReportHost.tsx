import { lazy, Suspense, useSyncExternalStore } from "react";
import { ReportContext } from "../../components/shell/report";
import type { SitePort } from "../../ports/site";
import type { ReportDialogState } from "./dialogState";

const ReportDialog = lazy(async () => ({ default: (await import("./ReportDialog")).ReportDialog }));

/** Shows the dialog while the desk is open. Stands outside the routes: where a screen crashed, it still opens. */
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
    // The dialogs of a report offer no further one.
    <ReportContext.Provider value={null}>
      <Suspense>
        <ReportDialog site={site} onClose={dialogState.close} />
      </Suspense>
    </ReportContext.Provider>
  );
}
