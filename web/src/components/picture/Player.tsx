/** Angles of arms and legs. Feet are at the ends of the legs. */
interface Pose {
  readonly back: string;
  readonly front: string;
  readonly legs: string;
  readonly feet: string;
}

export const POSES: readonly [Pose, ...Pose[]] = [
  {
    back: "M-17-118L-36-104L-52-112",
    front: "M17-118L36-104L50-116",
    legs: "M-8-60L-16-30L-14-2M8-60L20-34L22-4",
    feet: "M-14-2l10 2M22-4l10 2",
  },
  {
    back: "M-17-118L-34-132L-30-158",
    front: "M17-118L30-96L24-72",
    legs: "M-8-60L-22-34L-34-8M8-60L14-30L8-2",
    feet: "M-34-8l10 2M8-2l10 2",
  },
  {
    back: "M-17-118L-30-92L-22-72",
    front: "M17-118L33-100L44-112",
    legs: "M-8-60L-24-32L-26-2M8-60L24-32L28-2",
    feet: "M-26-2l10 2M28-2l10 2",
  },
  {
    back: "M-17-118L-30-96L-40-80",
    front: "M17-118L34-128L48-146",
    legs: "M-8-60L-18-32L-16-2M8-60L18-32L26-6",
    feet: "M-16-2l10 2M26-6l10 2",
  },
];

export const SKINS: readonly [string, ...string[]] = ["#f0c8a0", "#e3b28a", "#8d5a3a", "#c98f63", "#5d3a27"];

interface PlayerProps {
  readonly pose: Pose;
  readonly skin: string;
  readonly shirt: string;
  readonly trim: string;
}

/** A figure that stands on the origin, about 155 units tall. */
export function Player({ pose, skin, shirt, trim }: PlayerProps) {
  const limb = { fill: "none", stroke: skin, strokeLinecap: "round", strokeLinejoin: "round" } as const;
  return (
    <>
      <ellipse cx="6" cy="2" rx="40" ry="8" fill="#000" opacity=".28" />
      <path d={pose.back} {...limb} strokeWidth="8" />
      <path d={pose.legs} {...limb} strokeWidth="11" />
      <path d="M-17-78H17L22-42H3L0-58L-3-42H-22Z" fill={shirt} stroke={shirt} strokeWidth="4" strokeLinejoin="round" />
      <path d="M-19-126Q0-118 19-126L16-70H-16Z" fill={shirt} />
      <path d="M-19-126Q0-118 19-126L18.5-117Q0-109-18.5-117Z" fill={trim} />
      <path d={pose.feet} stroke="#f7f4ec" strokeWidth="8" strokeLinecap="round" />
      <path d={pose.front} {...limb} strokeWidth="8" />
      <circle cx="1" cy="-141" r="12.5" fill={skin} />
      <path d="M-12-142a13 13 0 0 1 25-4q-6-4-13-2t-12 6" fill="#2a1a12" />
    </>
  );
}
