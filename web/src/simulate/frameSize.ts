/** A phone's window, for logs that record no size. */
const PHONE = [390, 844] as const;
/** Sizes outside these bounds would not be a window's. */
const MIN_SIDE = 200;
const MAX_SIDE = 4_000;

/** The size of the frame with the viewer's screen, in CSS pixels. */
export function frameSize(recorded: readonly [number, number] | undefined): readonly [width: number, height: number] {
  const [width, height] = recorded ?? PHONE;
  const bounded = (side: number): number => Math.round(Math.min(Math.max(MIN_SIDE, side), MAX_SIDE));
  return [bounded(width), bounded(height)];
}

/** Whether the window is wider than high, as on a desktop. */
export const isWide = (recorded: readonly [number, number] | undefined): boolean => {
  const [width, height] = frameSize(recorded);
  return width > height;
};
