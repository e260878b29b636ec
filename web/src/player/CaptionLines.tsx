import { styleOf, useCaptionLook } from "./captionLook";
import "./CaptionLines.css";

/** The current captions, in the viewer's style. */
export function CaptionLines({ lines }: { readonly lines: readonly string[] }) {
  const [look] = useCaptionLook();
  if (lines.length === 0) return null;
  return (
    <div className="player__captions" style={styleOf(look)}>
      {lines.map((line) => (
        <p key={line}>
          <span>{line}</span>
        </p>
      ))}
    </div>
  );
}
