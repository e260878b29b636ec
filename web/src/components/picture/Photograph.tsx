import type { PictureFacts } from "../../contracts/resources";
import { srcSetOf } from "./sizes";
import "./Photograph.css";

interface PhotographProps {
  readonly url: string;
  /** The worker's data about the picture, if any. */
  readonly facts: PictureFacts | undefined;
  /** The `sizes` attribute. */
  readonly sizes: string;
  readonly className?: string;
  /** Loads only near the viewport. */
  readonly lazy?: boolean;
  readonly onError: () => void;
}

/** An operator's photograph with the worker's placeholder, a few blurred pixels, and its size (FAST-9). */
export function Photograph({ url, facts, sizes, className, lazy, onError }: PhotographProps) {
  return (
    <>
      {facts?.placeholder && <img className="photograph-blurred" src={facts.placeholder} alt="" />}
      <img
        className={className}
        width={facts?.width}
        height={facts?.height}
        sizes={sizes}
        srcSet={srcSetOf(url)}
        src={url}
        alt=""
        decoding={lazy ? "async" : undefined}
        loading={lazy ? "lazy" : undefined}
        fetchPriority={lazy ? undefined : "high"}
        onLoad={(event) => event.currentTarget.classList.add("photograph--loaded")}
        onError={onError}
      />
    </>
  );
}
