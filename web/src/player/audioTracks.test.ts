// @vitest-environment jsdom
import Hls from "hls.js";
import { expect, it, vi } from "vitest";
import { type AudioTrack, audioKey, audioLabel, pickAudio } from "./audioTracks";
import { attachHls } from "./hlsStream";
import { IDLE_HANDLERS } from "./testing/handlers";

const track = (name: string, language: string, more: Partial<AudioTrack> = {}): AudioTrack => ({
  name,
  language,
  isDescribed: false,
  isDefault: false,
  ...more,
});
const HOME = track("Home commentary", "en-US", { isDefault: true });
const AWAY = track("Away commentary", "en-US");
const FRENCH = track("Français", "fr");
const DESCRIBED = track("Described", "fr", { isDescribed: true });
const ALL = [HOME, AWAY, DESCRIBED, FRENCH];

it("a video starts with the chosen track, its language and role, or the site's language (MEDIA-17)", () => {
  const picked = (stored: string, spoken: string, tracks: readonly AudioTrack[] = ALL) =>
    tracks[pickAudio(tracks, stored, spoken)];
  expect(picked("", "fr")).toBe(FRENCH);
  expect(picked("", "en")).toBe(HOME);
  expect(picked("", "de")).toBe(HOME);
  expect(picked(audioKey(AWAY), "fr")).toBe(AWAY);
  // Another stream's tracks have other names.
  expect(picked(audioKey(track("Anglais", "en")), "fr")).toBe(HOME);
  expect(picked(audioKey(track("Audiodescription", "fr", { isDescribed: true })), "en")).toBe(DESCRIBED);
  expect(picked(audioKey(track("Español", "es")), "fr")).toBe(FRENCH);
  expect(picked("", "fr", [AWAY])).toBe(AWAY);
  expect(pickAudio([], audioKey(AWAY), "fr")).toBe(-1);
});

it("a track's label names its language and role once (MEDIA-17)", () => {
  const label = (one: AudioTrack) => audioLabel(one, "en", "audio description");
  expect(label(HOME)).toBe("Home commentary (American English)");
  expect(label(track("English", "en"))).toBe("English");
  expect(label(track("", "fr"))).toBe("French");
  expect(label(DESCRIBED)).toBe("Described (French), audio description");
  expect(label(track("Track 2", "no tag"))).toBe("Track 2");
});

it("hls.js plays the chosen track before it loads the stream's own choice (MEDIA-17)", () => {
  const chosen: number[] = [];
  const triggers: (() => void)[] = [];
  const audioTracks = [
    { name: "English", lang: "en", default: true },
    { name: "Français", lang: "fr", characteristics: "public.accessibility.describes-video" },
  ];
  class Library extends Hls {
    constructor(...args: ConstructorParameters<typeof Hls>) {
      super(...args);
      const event = Hls.Events.AUDIO_TRACKS_UPDATED;
      // The library's own listeners need a loaded stream.
      triggers.push(() => this.listeners(event).at(-1)?.(event, { audioTracks } as never));
    }
    override loadSource(): void {}
    override attachMedia(): void {}
    override get audioTrack(): number {
      return 0;
    }
    override set audioTrack(index: number) {
      chosen.push(index);
    }
  }
  const onAudioTracks = vi.fn(() => 1);
  const attached = attachHls(Library, document.createElement("video"), "/live.m3u8", -1, false, {
    ...IDLE_HANDLERS,
    onAudioTracks,
  });
  for (const trigger of triggers) trigger();
  expect(onAudioTracks).toHaveBeenCalledWith([
    track("English", "en", { isDefault: true }),
    expect.objectContaining({ name: "Français", language: "fr", isDescribed: true }),
  ]);
  expect(chosen).toEqual([1]);
  attached.chooseAudio(0);
  expect(chosen).toEqual([1, 0]);
  attached.detach();
});
