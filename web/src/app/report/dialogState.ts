/** State of the report dialog: screens open it, the app renders it. */
export interface ReportDialogState {
  open(): void;
  close(): void;
  isOpen(): boolean;
  subscribe(listener: () => void): () => void;
}

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
