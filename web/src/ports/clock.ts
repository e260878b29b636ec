/** A reading of the channel's clock: bounds of its lead over the device's clock, in milliseconds. */
export interface ClockReading {
  readonly min: number;
  readonly max: number;
}
