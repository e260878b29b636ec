import { useId } from "react";
import { type Floor, MARKINGS, projectedPath } from "./floor";
import { Player, POSES, SKINS } from "./Player";
import "./Scene.css";

interface SceneProps {
  readonly floor: Floor;
  readonly away: string;
  readonly home: string;
  /** The text on the boards around the floor. */
  readonly boards: string;
  /** The floor's colour as `#rrggbb`; defaults to the home side's colour, darkened. */
  readonly ground?: string;
}

const HORIZON = 337;

/** Scale at depth `y` of the field: the near end is 2.4 times as large as the far end. */
function nearness(y: number): number {
  return 1 / (0.2755 - (y - 6) * 0.000949);
}

/** Projects the flat field (320 × 180) onto the picture (1600 × 900), seen from the stand. */
function project(x: number, y: number): readonly [number, number] {
  return [760 + (x - 160) * nearness(y), 99.2 * nearness(y) - 10];
}

/** The ten players: position on the field, pose, skin and side. */
const LINE_UP: readonly (readonly [number, number, number, number, "away" | "home"])[] = [
  [146, 18, 0, 0, "home"],
  [64, 34, 2, 1, "away"],
  [196, 30, 1, 2, "away"],
  [262, 40, 2, 2, "away"],
  [238, 64, 3, 3, "home"],
  [194, 74, 1, 1, "home"],
  [84, 86, 0, 2, "away"],
  [160, 104, 3, 3, "away"],
  [240, 108, 2, 4, "home"],
  [112, 146, 1, 1, "home"],
];

/**
 * A drawn game for channels without a photograph: the sport's floor in perspective, two sides in their colours, a full
 * house. Decorative.
 */
export function Scene({ floor, away, home, boards, ground }: SceneProps) {
  const id = useId();
  const corners = [project(-4, 4), project(324, 4), project(324, 184), project(-4, 184)];
  return (
    <svg className="scene" viewBox="0 0 1600 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <defs>
        <pattern id={`${id}crowd`} width="46" height="34" patternUnits="userSpaceOnUse">
          <g opacity=".8">
            <circle cx="11" cy="9" r="6.5" fill={home} opacity=".75" />
            <path d="M2 24q9-13 18 0z" fill={home} opacity=".55" />
            <circle cx="34" cy="25" r="6.5" fill="#67707f" opacity=".5" />
            <path d="M25 40q9-13 18 0z" fill="#67707f" opacity=".4" />
          </g>
        </pattern>
        <radialGradient id={`${id}light`} cx=".5" cy=".62" r=".75">
          <stop offset="0" stopColor="#fff" stopOpacity=".26" />
          <stop offset=".55" stopColor="#fff" stopOpacity="0" />
          <stop offset="1" stopColor="#000" stopOpacity=".55" />
        </radialGradient>
        <linearGradient id={`${id}stand`} x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#0a1424" />
          <stop offset="1" stopColor="#0a1424" stopOpacity=".25" />
        </linearGradient>
      </defs>
      <path d="M0 0H1600V900H0Z" fill="#0a1424" />
      <path d={`M0 0H1600V${HORIZON - 30}H0Z`} fill={`url(#${id}crowd)`} />
      <path d={`M0 0H1600V${HORIZON - 30}H0Z`} fill={`url(#${id}stand)`} />
      <path d={`M0 ${HORIZON - 38}H1600V${HORIZON}H0Z`} fill="#101722" />
      <g className="scene__boards" fill="#8592a8">
        {[-60, 440, 940, 1440].map((x) => (
          <text key={x} x={x} y={HORIZON - 11}>
            {boards.toUpperCase()}
          </text>
        ))}
      </g>
      <path d={`M0 ${HORIZON}H1600V900H0Z`} fill="#0d1829" />
      <path d={`M${corners.map(([x, y]) => `${x} ${y}`).join("L")}Z`} fill={ground ?? home} />
      {ground === undefined && (
        <path d={`M${corners.map(([x, y]) => `${x} ${y}`).join("L")}Z`} fill="#fff" opacity=".12" />
      )}
      <g stroke="#f7f4ec" strokeOpacity=".7" strokeWidth="4" strokeLinejoin="round">
        {MARKINGS[floor].map((marking) => {
          const path = projectedPath(marking, project);
          return (
            <path key={path} d={path} fill={marking.filled ? home : "none"} fillOpacity={marking.filled ? 0.6 : 0} />
          );
        })}
      </g>
      {LINE_UP.map(([x, y, pose, skin, side]) => {
        const [left, top] = project(x, y);
        const size = 0.18 * nearness(y);
        return (
          <g key={`${x}/${y}`} transform={`translate(${left} ${top}) scale(${x > 160 ? -size : size} ${size})`}>
            <Player
              pose={POSES[pose % POSES.length] ?? POSES[0]}
              skin={SKINS[skin % SKINS.length] ?? SKINS[0]}
              shirt={side === "home" ? home : away}
              trim={side === "home" ? "#f4b942" : "#eaf2ec"}
            />
          </g>
        );
      })}
      <Ball floor={floor} />
      <path d="M0 0H1600V900H0Z" fill={`url(#${id}light)`} />
    </svg>
  );
}

function Ball({ floor }: { readonly floor: Floor }) {
  const [x, y] = project(214, 88);
  if (floor === "wrestling" || floor === "track") return null;
  if (floor === "hockey") return <ellipse cx={x} cy={y + 20} rx="12" ry="6" fill="#0b0f16" />;
  const fill = floor === "basketball" ? "#d9692a" : floor === "football" ? "#8a4b22" : "#f4f4ee";
  return <circle cx={x} cy={y - 26} r="13" fill={fill} stroke="#2a1408" strokeWidth="2" />;
}
