import type { ClipRequest } from "./clip";

/** The facts for checking the clip form. `mediaDuration` in seconds; null for a live stream. */
export interface ClipFormFacts {
  readonly loggedIn: boolean;
  readonly mediaDuration: number | null;
}

const MAX_NAME_LENGTH = 100;
const MAX_TAGS = 10;

/** The reason to refuse a clip request (VAL-3); null if it is valid. */
export function clipRefusal(request: ClipRequest, { loggedIn, mediaDuration }: ClipFormFacts): string | null {
  const name = request.name.trim();
  if (!loggedIn) return "user must be logged in";
  if (name === "") return "Please fill in the input field.";
  if (name.length > MAX_NAME_LENGTH) return `Field length must be less than ${MAX_NAME_LENGTH + 1}`;
  if (request.tags.length === 0) return "Please select tag.";
  if (request.tags.length > MAX_TAGS) return `Field length must be less than ${MAX_TAGS + 1}`;
  const start = request.start_time;
  const endTime = start + request.duration;
  if (!(start >= 0 && request.duration > 0) || (mediaDuration !== null && endTime > mediaDuration))
    return "Your clip duration is longer than the end time.";
  return null;
}
