import { eventDownloadPressed } from "../../../src/slices/account";
import { analyticsActions } from "../../../src/slices/analytics";
import { clipActions, DRAFT } from "../../../src/slices/clip";
import { clipsActions } from "../../../src/slices/clips";
import { playerActions } from "../../../src/slices/player";
import { popupActions } from "../../../src/slices/popups";
import { preferencesActions } from "../../../src/slices/preferences";
import { prerollActions, spotQuarterReached } from "../../../src/slices/preroll";
import { toastActions } from "../../../src/slices/toast";
import { beginVisit, type Visit } from "../visit";
import { failures, PERSON } from "../worker";
import { arrives, logsIn, reads } from "./actions";

const CLIP = { event_id: 5, name: "Overtime save", start_time: 12, duration: 9, tags: ["save"], event_media_id: 52 };

const clipRequested = (name: string, media_duration: number | null = 40) =>
  clipActions.submitPressed({ key: DRAFT, request: { ...CLIP, name }, media_duration });

const target = (event_id: number, event_category_id: number, media: "live" | "vod" = "live") =>
  prerollActions.wanted({ event_id, event_category_id, location_id: 2, media });

const view = (id: number, stream_type: "live" | "vod" = "live") =>
  playerActions.opened({ kind: "event", id, stream_id: id * 10 + 2, stream_type });

/** The first visit: looks around, switches the view, watches something free. */
export async function browse(): Promise<string> {
  const visit = beginVisit({ seed: 31 });
  await arrives(visit);
  visit.opens("/?trk=poster-7&modal=welcome", reads.rails);
  visit.does(popupActions.opened({ component: "welcome" }));
  await visit.passes(5_000);
  visit.does(popupActions.closed());
  visit.opens("/upcoming", reads.events({ stream_status: "upcoming", limit: 24, offset: 0 }));
  await visit.passes(6_000);
  visit.does(preferencesActions.chose({ name: "view", value: "table" }));
  await visit.passes(3_000);
  visit.opens("/vod_library", reads.vodRails);
  await visit.passes(4_000);
  visit.opens("/faq");
  await visit.passes(2_000);
  visit.opens("/watch/5", reads.event(5), reads.eventClips(5));
  visit.does(view(5));
  await visit.passes(1_500);
  visit.does(playerActions.firstFrameShown({ position: 0 }));
  await visit.passes(70_000);
  visit.does(playerActions.paused({ position: 70 }));
  await visit.passes(3_000);
  visit.does(playerActions.seeked({ from: 70, position: 20 }), playerActions.played({ position: 20 }));
  await visit.passes(8_000);
  visit.does(playerActions.stalled({ position: 28 }));
  await visit.passes(2_000);
  visit.does(playerActions.played({ position: 28 }));
  await visit.passes(12_000);
  visit.does(playerActions.ended({ position: 40 }), playerActions.closed());
  visit.opens("/");
  await visit.passes(2_000);
  return visit.log();
}

/** A clip that fails, one that succeeds, one that is late, and several that are refused. */
export async function clipFails(): Promise<string> {
  const visit = beginVisit({ seed: 32 });
  const { worker } = visit;
  await arrives(visit);
  visit.opens("/watch/5", reads.event(5), reads.eventClips(5));
  visit.does(clipRequested("Too soon"));
  await visit.passes(2_000);
  await logsIn(visit);
  visit.opens("/watch/5", reads.event(5), reads.eventClips(5));
  visit.does(clipRequested(" "), clipActions.dismissed({ key: DRAFT }), clipRequested("Too long", 5));
  await visit.passes(2_000);
  worker.clipOutcome = "failed";
  visit.does(clipRequested("Overtime save"));
  await visit.passes(10_000);
  for (const key of Object.keys(visit.state().clip)) visit.does(clipActions.dismissed({ key }));
  worker.clipOutcome = "ready";
  visit.does(clipRequested("Second save"));
  visit.does(clipActions.dismissed({ key: Object.keys(visit.state().clip).at(-1) ?? DRAFT }));
  await visit.passes(1_500);
  visit.does(clipActions.dismissed({ key: Object.keys(visit.state().clip).at(-1) ?? DRAFT }));
  await visit.passes(4_000);
  visit.does(clipActions.dismissed({ key: Object.keys(visit.state().clip).at(-1) ?? DRAFT }));
  await visit.passes(8_000);
  visit.opens("/profile/clips", reads.clips);
  await visit.passes(2_000);
  const [id = 0] = visit.state().clips.mine;
  visit.does(clipsActions.downloadPressed({ id }));
  await visit.passes(2_000);
  worker.fail("api.deleteClip", failures.down);
  visit.does(clipsActions.deletePressed({ id }));
  await visit.passes(2_000);
  visit.does(clipsActions.deletePressed({ id }), eventDownloadPressed({ id: 5 }));
  await visit.passes(2_000);
  for (const key of Object.keys(visit.state().clip)) visit.does(clipActions.dismissed({ key }));
  await visit.passes(1_000);
  return visit.log();
}

/**
 * The worker takes more than five minutes for a clip, and the stream is silent: the viewer is notified, and the clip
 * succeeds.
 */
export async function clipLate(): Promise<string> {
  const visit = beginVisit({ seed: 33, user: PERSON });
  const { worker } = visit;
  await arrives(visit);
  visit.opens("/watch/5", reads.event(5));
  worker.clipOutcome = "never";
  visit.does(clipRequested("A long one"));
  await visit.passes(30_000);
  worker.fail("sync.connect", failures.down, 40);
  visit.dropsSocket(1011);
  worker.fail("api.listUserClips", failures.down);
  await visit.passes(285_000);
  const [clip] = Object.values(visit.state().clips.byId);
  if (clip) {
    for (const status of ["processing", "ready"] as const) {
      const version = status === "ready" ? 3 : 2;
      worker.storeClip({ ...clip, status, version });
      await visit.passes(8_000);
    }
  }
  await visit.passes(5_000);
  return visit.log();
}

/** The preroll before a video: drawn by weight, seen once an hour, skipped for viewers who pay for no ads. */
export async function preroll(): Promise<string> {
  const visit = beginVisit({ seed: 34, user: PERSON });
  await arrives(visit);
  const stray = [
    prerollActions.firstFrameShown(),
    spotQuarterReached({ quarter: 50 }),
    prerollActions.ended({ how: "skipped" }),
  ] as const;
  visit.does(...stray, prerollActions.left());

  const plays = async (watching: Visit, end: "played" | "skipped" | "broken"): Promise<void> => {
    await watching.passes(1_000);
    watching.does(prerollActions.firstFrameShown(), prerollActions.firstFrameShown());
    await watching.passes(9_000);
    watching.does(spotQuarterReached({ quarter: 25 }), spotQuarterReached({ quarter: 25 }));
    watching.does(prerollActions.ended(end === "broken" ? { how: end, code: "answer_404" } : { how: end }));
    await watching.passes(1_000);
  };
  visit.does(target(4, 22));
  await plays(visit, "played");
  visit.does(...stray, prerollActions.left(), target(4, 22));
  await plays(visit, "skipped");
  visit.does(target(4, 22));
  await plays(visit, "skipped");
  visit.does(target(4, 22));
  await visit.passes(1_000);
  visit.does(...stray, target(4, 22), prerollActions.left());
  // A preroll without a first frame times out.
  visit.does(target(3, 31, "vod"));
  await visit.passes(12_000);
  visit.does(target(3, 31, "vod"), target(2, 22));
  await visit.passes(500);
  visit.does(prerollActions.left());
  await visit.passes(3_600_000);
  visit.does(target(4, 22));
  await plays(visit, "played");
  visit.worker.user = { ...PERSON, capabilities: ["no_ads"] };
  visit.goesOffline();
  visit.comesOnline();
  await visit.passes(3_000);
  visit.does(target(8, 52));
  await visit.passes(1_000);
  visit.does(...stray, prerollActions.left());
  return visit.log();
}

/** Analytics: a session that fails at first, then one for a whole day, and consent that is withdrawn. */
export async function analyticsSession(): Promise<string> {
  const visit = beginVisit({ seed: 35, latency: [40, 90] });
  const { worker } = visit;
  worker.fail("api.getAnalyticsSession", failures.down, 2);
  await arrives(visit);
  await visit.passes(120_000);
  visit.goesOffline();
  await visit.passes(2_000);
  visit.comesOnline();
  await visit.passes(5_000);
  visit.opens("/watch/5", reads.event(5));
  visit.does(view(5, "vod"));
  await visit.passes(900);
  visit.does(playerActions.firstFrameShown({ position: 0 }));
  await visit.passes(65_000);
  visit.does(playerActions.failed({ code: "media_lost" }), playerActions.closed());
  visit.goesOffline();
  await visit.passes(24 * 3_600_000);
  visit.comesOnline();
  await visit.passes(10_000);
  visit.does(analyticsActions.consentRefused());
  visit.opens("/faq");
  await visit.passes(1_000);
  visit.does(analyticsActions.consentGiven());
  visit.opens("/");
  await visit.passes(3_000);
  return visit.log();
}

/** A session in French on the channel that requires consent. */
export async function french(): Promise<string> {
  const visit = beginVisit({ seed: 36, channel: "laurentides", locale: "fr" });
  await arrives(visit);
  visit.does(preferencesActions.chose({ name: "language", value: "fr" }), analyticsActions.consentGiven());
  await visit.passes(3_000);
  visit.opens("/upcoming", reads.events({ stream_status: "upcoming", limit: 24, offset: 0 }));
  await visit.passes(4_000);
  await logsIn(visit);
  visit.opens("/watch/2", reads.event(2), reads.eventClips(2));
  visit.does(toastActions.wanted({ text: "Lien copié", type: "success" }));
  await visit.passes(2_000);
  const [toast] = visit.state().toast;
  if (toast) visit.does(toastActions.held({ id: toast.id }));
  await visit.passes(8_000);
  if (toast) visit.does(toastActions.released({ id: toast.id }));
  await visit.passes(5_000);
  return visit.log();
}
