import { styleOf, useCaptionLook } from "./captionLook";
import "./CaptionLines.css";

/** What is said now, over the picture, as the viewer wants it to look. */
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
