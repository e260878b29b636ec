/** Where in a recording its viewer wants to be, seconds, and when they said so, milliseconds of `performance.now()`. */
export interface Moment {
  readonly time: number;
  readonly pressedAt: number;
}
