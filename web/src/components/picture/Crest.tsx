import { useState } from "react";
import { pictureSource } from "./drawings";

interface CrestProps {
  readonly name: string;
  readonly color: string;
  /** The crest image. If it is missing or fails to load, a shield in the team's colour with its initial replaces it. */
  readonly image: string | null;
  readonly className?: string;
}

/** Outlines for drawn shields; a team always gets the same one. */
const OUTLINES = [
  "M4 4H60V34C60 52 46 63 32 69C18 63 4 52 4 34Z",
  "M32 3L60 11V36C60 53 47 63 32 69C17 63 4 53 4 36V11Z",
  "M32 2L61 17V53L32 70L3 53V17Z",
] as const;

export function initialsOf(name: string): string {
  return name
    .split(/[\s-]+/)
    .filter((word) => /^\p{L}/u.test(word))
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase())
    .join("");
}

function outlineOf(name: string): string {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return OUTLINES[sum % OUTLINES.length] ?? OUTLINES[0];
}

/** A team's crest; the text beside it names the team. */
export function Crest({ name, color, image, className }: CrestProps) {
  const [broken, setBroken] = useState<string | null>(null);
  if (image !== null && image !== broken) {
    return (
      <img
        className={className}
        src={pictureSource(image)}
        alt=""
        width="64"
        height="72"
        loading="lazy"
        decoding="async"
        onError={() => setBroken(image)}
      />
    );
  }
  return (
    <svg className={className} viewBox="0 0 64 72" aria-hidden="true">
      <DrawnCrest name={name} color={color} />
    </svg>
  );
}

/** The shield alone, for use inside a picture. */
function DrawnCrest({ name, color }: { readonly name: string; readonly color: string }) {
  const outline = outlineOf(name);
  return (
    <>
      <path d={outline} fill="#f7f4ec" />
      <path d={outline} fill={color} transform="translate(32 36) scale(.86) translate(-32 -36)" />
      <text
        x="32"
        y="47"
        textAnchor="middle"
        fill="#f7f4ec"
        fontSize={initialsOf(name).length > 1 ? 26 : 34}
        className="poster__letters"
      >
        {initialsOf(name)}
      </text>
    </>
  );
}
