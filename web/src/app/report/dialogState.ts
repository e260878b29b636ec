/** Where a report of a problem is asked for: screens open it, the app shows its dialog. */
export interface ReportDialogState {
  /** Opens the dialog. */
  open(): void;
  close(): void;
  isOpen(): boolean;
  subscribe(listener: () => void): () => void;
}

/** Makes one, closed. */
export function createReportDialogState(): ReportDialogState {
  const listeners = new Set<() => void>();
  let open = false;
  const turn = (next: boolean): void => {
    open = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    open: () => turn(true),
    close: () => turn(false),
    isOpen: () => open,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
