import { describe, expect, it } from "vitest";
import type { Clip, Event } from "../contracts/resources";
import type { RootState } from "../slices/index";
import type { Playable } from "../slices/player";
import { queryActions } from "../slices/queries";
import { aBootstrap, aClip, anEvent, aSchool } from "./testing/resources";
import { openViewerWorld } from "./testing/world";
import { contentOf, viewingFacts } from "./viewingFacts";

const school = aSchool();
const team = (id: number, properties: { [key: string]: string }, group_id?: number) => ({
  id,
  name: `Team ${id}`,
  short_name: "T",
  alias: `t${id}`,
  images: [],
  color: "#000000",
  properties,
  ...(group_id === undefined ? {} : { group_id }),
});
const home = team(21, { gender: "female", sport: "basketball" }, school.id);
const away = team(22, { gender: "male", sport: "hockey", league: "West" });
const game = (parts: Partial<Event> = {}) => anEvent({ home_team_id: home.id, participants: [home, away], ...parts });
const OF_THE_GAME = { category: "Men's", sport: "basketball", gender: "female", school: "Ram High", league: "East" };

async function stateWith(facts: { clips?: Clip[]; event?: Event }): Promise<RootState> {
  const world = await openViewerWorld({
    "api.getBootstrap": () => aBootstrap({ "participant-groups": [school] }),
    "api.listUserClips": () => facts.clips ?? [],
    "api.getEvent": () => facts.event ?? game(),
    "api.getVodItem": () => video,
    "api.listVodCategories": () => [{ id: 2, title: "Coaching" }],
  });
  world.ui(queryActions.wanted({ method: "api.listUserClips", args: {} }));
  if (facts.event) world.ui(queryActions.wanted({ method: "api.getEvent", args: { id: facts.event.id } }));
  world.ui(queryActions.wanted({ method: "api.getVodItem", args: { id: video.id } }));
  world.ui(queryActions.wanted({ method: "api.listVodCategories", args: {} }));
  await world.pass();
  return world.state();
}

const video = {
  id: 5,
  title: "Zone coverage",
  date: "2026-09-21T12:00:00.000Z",
  description: "",
  category_id: 2,
  access_type: "free" as const,
  has_access: true,
  duration_s: 40,
  figure: "",
  color: "#000000",
  assets: [],
};
const clipView: Playable = { kind: "clip", id: 70, stream_id: 900, stream_type: "clip" };
const eventView: Playable = { kind: "event", id: 100, stream_id: 900, stream_type: "vod" };
const videoView: Playable = { kind: "vod", id: 5, stream_id: 901, stream_type: "vod" };

describe("the facts of a viewing (ANA-2)", () => {
  it("are of the home team and its school for an event", async () => {
    const state = await stateWith({ event: game() });
    expect(viewingFacts(eventView)(state)).toEqual(OF_THE_GAME);
    expect(contentOf(eventView)(state)).toEqual({
      content_type: "event",
      content_id: "100",
      content_event_id: "100",
    });
  });

  it("are of the event that a clip carries", async () => {
    const state = await stateWith({ clips: [aClip({ event: game() })] });
    expect(viewingFacts(clipView)(state)).toEqual(OF_THE_GAME);
    expect(contentOf(clipView)(state)).toEqual({ content_type: "clip", content_id: "70", content_event_id: "100" });
  });

  it("are of the loaded event if the clip carries none", async () => {
    expect(viewingFacts(clipView)(await stateWith({ clips: [aClip()], event: game() }))).toEqual(OF_THE_GAME);
  });

  it("are of the team named last if an event names no home team", async () => {
    const { home_team_id: _, ...event } = game();
    expect(viewingFacts(eventView)(await stateWith({ event }))).toEqual({
      category: "Men's",
      sport: "hockey",
      gender: "male",
      school: null,
      league: "West",
    });
  });

  it("are a library video's category, and no event", async () => {
    const state = await stateWith({});
    expect(viewingFacts(videoView)(state)).toEqual({
      category: "Coaching",
      sport: null,
      gender: null,
      school: null,
      league: null,
    });
    expect(contentOf(videoView)(state)).toEqual({ content_type: "vod", content_id: "5", content_event_id: null });
  });

  it("are empty if unknown to the site", async () => {
    const state = await stateWith({});
    const empty = { category: null, sport: null, gender: null, school: null, league: null };
    for (const kind of ["event", "clip", "vod"] as const)
      expect(viewingFacts({ ...eventView, kind, id: 999 })(state)).toEqual(empty);
    expect(contentOf({ ...clipView, id: 999 })(state)).toMatchObject({ content_id: "999", content_event_id: null });
  });
});
