import type { components } from "../../../contracts/generated/openapi";
import { LIVE, presentClip, presentVideo, visibleClips } from "./presenter";
import { DONE, notFound, type Operations, personOf, type Request, refuse } from "./request";

type Clip = components["schemas"]["Clip"];

// The viewer's favourites, positions and clips, and their analytics.

/** Duration of cutting a clip, in milliseconds. */
const CUTTING_MS = 600;

/** A medium's address, for a viewer with access. */
function playback({ state }: Request, mount: string, has_access: boolean) {
  if (!has_access) refuse(403, "forbidden", "Forbidden.");
  return { playback_url: `/media/northfield/s/${mount}/signed-${state.nextId()}/master.m3u8` };
}

function makeClip(request: Request): Clip {
  const person = personOf(request);
  const { body, state } = request;
  if (!person.email_verified) refuse(403, "email_unverified", "Please verify your email address first.");
  const id = state.nextId();
  const clip: Clip = {
    id,
    uuid: `uuid-${id}`,
    ...(body.event_id && { event_id: body.event_id }),
    ...(body.vod_id && { vod_id: body.vod_id }),
    name: body.name,
    start_time: body.start_time,
    duration: body.duration,
    tags: body.tags,
    ...(body.visibility && { visibility: body.visibility }),
    event_media_id: body.event_media_id,
    status: "queued",
    created_at: new Date().toISOString(),
    version: 1,
  };
  person.clips.unshift(clip);
  setTimeout(() => {
    Object.assign(clip, { status: "ready", version: 2 });
    state.clipChanged(person, clip);
  }, CUTTING_MS);
  return clip;
}

const clipsOf = (request: Request, source: "event_id" | "vod_id"): Clip[] =>
  visibleClips(request)
    .filter((clip) => clip[source] === Number(request.params.id))
    .map((clip) => presentClip(request, clip));

export const viewing: Operations = {
  "GET /api/favorites": (request) => personOf(request).favourites,
  "POST /api/favorite": (request) => {
    const person = personOf(request);
    const { favoritable_id, favoritable_type } = request.body;
    const before = person.favourites.find(
      (one) => one.favoritable_id === favoritable_id && one.favoritable_type === favoritable_type,
    );
    if (before) return before;
    const favourite = { id: request.state.nextId(), favoritable_id, favoritable_type };
    person.favourites.push(favourite);
    return favourite;
  },
  "DELETE /api/favorite/{id}": (request) => {
    const person = personOf(request);
    person.favourites = person.favourites.filter(({ id }) => id !== Number(request.params.id));
    return DONE;
  },
  "GET /api/playback": (request) => personOf(request).positions,
  "POST /api/playback": (request) => {
    const { api_key: _, ...position } = request.body;
    const person = personOf(request);
    const isSame = (one: { kind?: unknown; id?: unknown }): boolean =>
      one.kind === position.kind && one.id === position.id;
    person.positions = [position as never, ...person.positions.filter((one) => !isSame(one as never))];
    return position;
  },
  "GET /api/events/{id}/playback/{media_id}": (request) => {
    const event = request.state.catalogue.events.find(({ id }) => id === Number(request.params.id)) ?? notFound();
    const medium = event.media.find(({ id }) => id === Number(request.params.media_id));
    const mount = `${medium?.type === LIVE ? "l" : "e"}${request.params.media_id}`;
    return playback(request, mount, request.state.orders.opens(request.person, event));
  },
  "GET /api/vod-media-items/{id}/playback": (request) => {
    const video = request.state.catalogue.videos.find(({ id }) => id === Number(request.params.id)) ?? notFound();
    return playback(request, `v${video.media?.id}`, presentVideo(request, video).has_access);
  },
  "POST /api/clip": makeClip,
  "DELETE /api/clip/{id}": (request) => {
    const person = personOf(request);
    person.clips = person.clips.filter(({ id }) => id !== Number(request.params.id));
    return DONE;
  },
  "GET /api/clips/user": (request) => personOf(request).clips.map((clip) => presentClip(request, clip)),
  "GET /api/clips/event/{id}": (request) => clipsOf(request, "event_id"),
  "GET /api/clips/vod/{id}": (request) => clipsOf(request, "vod_id"),
  "POST /api/error-log": ({ state, body }) => {
    state.errors.push(body);
    return DONE;
  },
  "POST /api/problem-report": ({ state, body }) => {
    state.reports.push(body as components["schemas"]["ProblemReport"]);
    return { id: `report-${state.nextId()}` };
  },
  "GET /datalake/hash/": ({ state }) => `session-${state.nextId()}`,
  "POST /datalake/batch": ({ state, body }) => ({
    results: (body.events as { id: string }[]).map((event) => {
      const outcome = state.analytics.has(event.id) ? "duplicate" : "accepted";
      state.analytics.set(event.id, event);
      return { id: event.id, outcome };
    }),
  }),
};
