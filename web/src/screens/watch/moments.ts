/** A selected position in seconds, and the time of the selection by `performance.now()`, in milliseconds. */
export interface Moment {
  readonly time: number;
  readonly pressedAt: number;
}
