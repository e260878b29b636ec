/** Markings of each sport's floor on a field of 320 × 180. Posters tilt them, scenes project them. */

type Line = {
  readonly kind: "line";
  readonly points: readonly (readonly [number, number])[];
  readonly closed?: boolean;
};
/** Angles in degrees, clockwise; 0 points right. */
type Arc = {
  readonly kind: "arc";
  readonly x: number;
  readonly y: number;
  readonly r: number;
  readonly from: number;
  readonly to: number;
};
export type Marking = (Line | Arc) & {
  /** Filled with a slight white tint. */
  readonly filled?: boolean;
};

export const FLOORS = [
  "basketball",
  "hockey",
  "soccer",
  "football",
  "volleyball",
  "wrestling",
  "baseball",
  "track",
] as const;
export type Floor = (typeof FLOORS)[number];

const line = (...points: [number, number][]): Marking => ({ kind: "line", points });
const rect = (x: number, y: number, w: number, h: number, filled = false): Marking => ({
  kind: "line",
  points: [
    [x, y],
    [x + w, y],
    [x + w, y + h],
    [x, y + h],
  ],
  closed: true,
  filled,
});
const arc = (x: number, y: number, r: number, from: number, to: number): Marking => ({
  kind: "arc",
  x,
  y,
  r,
  from,
  to,
});
const circle = (x: number, y: number, r: number, filled = false): Marking => ({
  kind: "arc",
  x,
  y,
  r,
  from: 0,
  to: 360,
  filled,
});

/** Mirrors markings onto the other half. */
function mirrored(markings: readonly Marking[]): Marking[] {
  return markings.flatMap((marking) => [
    marking,
    marking.kind === "line"
      ? { ...marking, points: marking.points.map(([x, y]) => [320 - x, y] as const) }
      : { ...marking, x: 320 - marking.x, from: 180 - marking.to, to: 180 - marking.from },
  ]);
}

const steps = (from: number, to: number, by: number) =>
  Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);

export const MARKINGS: { readonly [F in Floor]: readonly Marking[] } = {
  basketball: [
    rect(6, 6, 308, 168),
    line([160, 6], [160, 174]),
    circle(160, 90, 22, true),
    ...mirrored([
      rect(6, 62, 58, 56, true),
      arc(64, 90, 22, -90, 90),
      line([6, 17], [30, 17]),
      arc(30, 90, 73, -90, 90),
      line([30, 163], [6, 163]),
      arc(18, 90, 7, -90, 90),
    ]),
  ],
  hockey: [
    rect(6, 6, 308, 168),
    line([160, 6], [160, 174]),
    circle(160, 90, 24),
    ...mirrored([
      line([112, 6], [112, 174]),
      line([24, 6], [24, 174]),
      circle(60, 50, 20),
      circle(60, 130, 20),
      arc(24, 90, 14, -90, 90),
    ]),
  ],
  soccer: [
    rect(6, 6, 308, 168),
    line([160, 6], [160, 174]),
    circle(160, 90, 24),
    ...mirrored([
      rect(6, 40, 46, 100, true),
      rect(6, 66, 17, 48),
      arc(38, 90, 24, -54, 54),
      arc(6, 6, 6, 0, 90),
      arc(6, 174, 6, -90, 0),
    ]),
  ],
  football: [
    rect(6, 6, 308, 168),
    ...mirrored([rect(6, 6, 24, 168, true)]),
    ...steps(56, 264, 26).map((x) => line([x, 6], [x, 174])),
    ...steps(35, 285, 5).flatMap((x) => [line([x, 66], [x, 70]), line([x, 110], [x, 114])]),
  ],
  volleyball: [
    rect(20, 20, 280, 140),
    line([160, 8], [160, 172]),
    ...mirrored([line([112, 20], [112, 160])]),
    rect(112, 20, 96, 140, true),
  ],
  wrestling: [rect(40, -30, 240, 240), circle(160, 90, 80), circle(160, 90, 66), circle(160, 90, 22, true)],
  baseball: [
    line([160, 168], [20, 28]),
    line([160, 168], [300, 28]),
    line([160, 168], [104, 112], [160, 56], [216, 112], [160, 168]),
    circle(160, 112, 10, true),
    arc(160, 168, 150, -135, -45),
    arc(160, 112, 80, -170, -10),
  ],
  track: [
    ...steps(-20, 380, 40).map((x) => line([x, 200], [x + 90, -20])),
    line([0, 60], [320, 60]),
    line([0, 120], [320, 120]),
  ],
};

/** Names of sports in the channels' languages; the first match decides. */
const NAMES: readonly (readonly [RegExp, Floor])[] = [
  [/basket/i, "basketball"],
  [/hockey|ringette|curling|patin/i, "hockey"],
  [/soccer|lacrosse|rugby/i, "soccer"],
  [/foot/i, "football"],
  [/volley|tennis|badminton/i, "volleyball"],
  [/wrestl|lutte|judo|gym/i, "wrestling"],
  [/base|soft/i, "baseball"],
];

/** The floor for a sport's name. */
export function floorOf(sport: string | null | undefined): Floor {
  return NAMES.find(([name]) => name.test(sport ?? ""))?.[1] ?? "track";
}

const round = (value: number) => Math.round(value * 10) / 10;
const onArc = ({ x, y, r }: Arc, degrees: number): [number, number] => [
  x + r * Math.cos((degrees * Math.PI) / 180),
  y + r * Math.sin((degrees * Math.PI) / 180),
];

/** The marking as an SVG path, seen from above. */
export function flatPath(marking: Marking): string {
  if (marking.kind === "line") {
    const points = marking.points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L");
    return `M${points}${marking.closed ? "Z" : ""}`;
  }
  const { r, from, to } = marking;
  // SVG draws nothing for a full circle with equal ends: it is split into two arcs.
  const ends = to - from >= 360 ? [from + 180, from + 360] : [to];
  const large = to - from > 180 && to - from < 360 ? 1 : 0;
  const [x0, y0] = onArc(marking, from);
  return `M${round(x0)} ${round(y0)}${ends
    .map((end) => {
      const [x, y] = onArc(marking, end);
      return `A${r} ${r} 0 ${large} 1 ${round(x)} ${round(y)}`;
    })
    .join("")}`;
}

/** The marking as an SVG path with every point projected. */
export function projectedPath(marking: Marking, project: (x: number, y: number) => readonly [number, number]): string {
  const points: (readonly [number, number])[] = [];
  if (marking.kind === "arc") {
    const parts = Math.max(6, Math.ceil((marking.to - marking.from) / 10));
    for (let part = 0; part <= parts; part++) {
      const [x, y] = onArc(marking, marking.from + ((marking.to - marking.from) * part) / parts);
      points.push(project(x, y));
    }
  } else {
    const corners = marking.closed && marking.points[0] ? [...marking.points, marking.points[0]] : marking.points;
    for (const [x, y] of corners) points.push(project(x, y));
  }
  return `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}`;
}
