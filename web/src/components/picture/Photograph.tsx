import type { PictureFacts } from "../../contracts/resources";
import { srcSetOf } from "./sizes";
import "./Photograph.css";

interface PhotographProps {
  readonly url: string;
  /** What the worker knows of it, if it does. */
  readonly facts: PictureFacts | undefined;
  /** How wide it is shown, for a browser to choose one of its widths. */
  readonly sizes: string;
  readonly className?: string;
  /** Fetched once it comes near the window. */
  readonly lazy?: boolean;
  readonly onError: () => void;
}

/** A photograph of the operator's, over what the worker knows of it: a few blurred pixels, and its size (FAST-9). */
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
