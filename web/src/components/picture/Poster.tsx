import { useId, useState } from "react";
import type { PictureFacts } from "../../contracts/resources";
import { Crest } from "./Crest";
import { type Floor, flatPath, MARKINGS } from "./floor";
import { Photograph } from "./Photograph";
import "./Poster.css";

/** One side of a fixture. */
export interface Side {
  readonly id: number;
  readonly name: string;
  /** `#rrggbb` */
  readonly color: string;
  /** Address of the crest image. */
  readonly crest: string | null;
}

/** A picture's content. A photograph replaces the poster. */
export type Picture =
  | {
      readonly kind: "photo";
      readonly url: string;
      /** The worker's data about the picture, if any. */
      readonly facts?: PictureFacts | undefined;
      readonly fallback: Exclude<Picture, { kind: "photo" }>;
    }
  | { readonly kind: "fixture"; readonly floor: Floor; readonly away: Side; readonly home: Side }
  /** One large figure on one colour: videos without teams, passes. */
  | {
      readonly kind: "figure";
      readonly floor: Floor;
      readonly figure: string;
      readonly color: string;
      readonly ink?: string;
    };

/** Each sport's floor has its own angle, so that a row of posters varies. */
const TILT: { readonly [F in Floor]: number } = {
  basketball: -9,
  hockey: -6,
  soccer: 9,
  football: -12,
  volleyball: -14,
  wrestling: 0,
  baseball: 7,
  track: 0,
};

function Markings({ floor }: { readonly floor: Floor }) {
  return (
    <>
      {MARKINGS[floor].map((marking) => {
        const path = flatPath(marking);
        return <path key={path} d={path} className={marking.filled ? "poster__wash" : "poster__marking"} />;
      })}
    </>
  );
}

function Drawing({ picture }: { readonly picture: Exclude<Picture, { kind: "photo" }> }) {
  const gradient = useId();
  const turn = picture.kind === "fixture" ? TILT[picture.floor] : 18;
  return (
    <>
      <svg className="poster__drawing" viewBox="0 0 320 180" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
        <defs>
          <linearGradient id={gradient} x1="0" y1="0" x2="1" y2="1">
            <stop offset="0" stopColor="#fff" stopOpacity=".16" />
            <stop offset=".45" stopColor="#000" stopOpacity=".06" />
            <stop offset="1" stopColor="#000" stopOpacity=".5" />
          </linearGradient>
        </defs>
        <g transform={`rotate(${turn} 160 90) translate(160 90) scale(1.32) translate(-160 -90)`}>
          <path d="M-160 -180H161V360H-160Z" fill={picture.kind === "fixture" ? picture.away.color : picture.color} />
          <path d="M160 -180H480V360H160Z" fill={picture.kind === "fixture" ? picture.home.color : picture.color} />
          <Markings floor={picture.floor} />
        </g>
        {picture.kind === "figure" && (
          <text
            x="160"
            y={picture.figure.length > 2 ? 136 : 152}
            textAnchor="middle"
            className="poster__figure"
            fontSize={picture.figure.length > 2 ? 116 : 168}
            fill={picture.ink ?? "#f1e3c8"}
          >
            {picture.figure}
          </text>
        )}
        <path d="M0 0H320V180H0Z" fill={`url(#${gradient})`} />
      </svg>
      {picture.kind === "fixture" && (
        <div className="poster__crests">
          <Crest name={picture.away.name} color={picture.away.color} image={picture.away.crest} />
          <Crest name={picture.home.name} color={picture.home.color} image={picture.home.crest} />
        </div>
      )}
    </>
  );
}

interface PosterProps {
  readonly picture: Picture;
  /** Badges by corner. */
  readonly corners?: {
    readonly topLeft?: React.ReactNode;
    readonly topRight?: React.ReactNode;
    readonly bottomRight?: React.ReactNode;
  };
  /** Greyed out: needs a connection. */
  readonly dim?: boolean;
  readonly square?: boolean;
}

/** The picture of an event. Decorative: the text is beside it. */
export function Poster({ picture, corners, dim, square }: PosterProps) {
  return (
    <div className={`poster${dim ? " poster--dim" : ""}${square ? " poster--square" : ""}`}>
      {picture.kind === "photo" ? <Photo {...picture} /> : <Drawing picture={picture} />}
      {corners?.topLeft && <div className="poster__corner poster__corner--top-left">{corners.topLeft}</div>}
      {corners?.topRight && <div className="poster__corner poster__corner--top-right">{corners.topRight}</div>}
      {corners?.bottomRight && <div className="poster__corner poster__corner--bottom-right">{corners.bottomRight}</div>}
    </div>
  );
}

/** The photograph on top of its drawing, which stays visible if the photograph fails to load. */
function Photo({ url, facts, fallback }: Extract<Picture, { kind: "photo" }>) {
  const [broken, setBroken] = useState("");
  return (
    <>
      <Drawing picture={fallback} />
      {url !== broken && (
        <Photograph
          className="poster__photo"
          url={url}
          facts={facts}
          sizes="auto, 320px"
          lazy
          onError={() => setBroken(url)}
        />
      )}
    </>
  );
}
