import { type SagaGenerator, select } from "typed-redux-saga";
import type { AnalyticsPath } from "../contracts/outbox";
import type { Json } from "../lib/json";
import { newId, now } from "../ports/ask";
import { selectRecording } from "../slices/analytics";
import { selectUserId } from "../slices/auth";
import type { RootState } from "../slices/index";
import { selectTrk } from "../slices/preferences";
import { attempt } from "./attempt";
import { enqueueAnalytics } from "./outbox";

/**
 * Records one analytics event, where it may be (ANA-6, ANA-7). The sender adds who is logged in, the profile key and
 * the session. Nothing but a given `id` makes two of these the same event.
 */
export function* record(path: AnalyticsPath, body: { [field: string]: Json }, id?: string): SagaGenerator<void> {
  if (!(yield* select(selectRecording))) return;
  const { analytics } = yield* select((state: RootState) => state);
  const trk = yield* select(selectTrk);
  const tracking = trk !== null && trk.expires_at > (yield* now()) ? { trk: trk.value } : {};
  const user_id = yield* select(selectUserId);
  yield* enqueueAnalytics(id ?? (yield* newId("analytics")), {
    path,
    body: { ...body, user_id, origin_url: analytics.device?.origin_url ?? "", ...tracking },
  });
}

/** Tells the tag manager (ANA-5), under the same rules. What it cannot take is not missed. */
export function* tag(entry: { event: string; [field: string]: Json }): SagaGenerator<void> {
  if (yield* select(selectRecording)) yield* attempt("ui.tag", { entry });
}
