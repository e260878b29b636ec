import type { FakeChannel } from "./channel";

// The media element of a browser that plays HLS itself, like Safari: jsdom's plays nothing. It runs on the page's
// virtual time, follows the HTML standard's order of events, and shows no image.

/** Time until a stream's metadata is loaded, and until a seek has ended, in milliseconds. */
const LOADING_MS = 40;
const SEEKING_MS = 20;
/** Interval of `timeupdate` while a video plays, in milliseconds. */
const TICK_MS = 250;
/** Length of a preroll and of a clip, in seconds. */
const SPOT_S = 6;
const CLIP_S = 12;

/** Codes of a media element's error. */
const [NETWORK, DECODE, NOT_SUPPORTED] = [2, 3, 4];

interface Playing {
  src: string;
  time: number;
  duration: number;
  readyState: number;
  isPaused: boolean;
  isSeeking: boolean;
  error: MediaError | null;
  timer: ReturnType<typeof setTimeout> | undefined;
  tick: ReturnType<typeof setInterval> | undefined;
}

const ranges = (end: number): TimeRanges => ({ length: end > 0 ? 1 : 0, start: () => 0, end: () => end });

/** The videos of a page, and the streams behind them. */
export class VirtualMedia {
  /** Addresses of the loaded streams, oldest first. */
  readonly loaded: string[] = [];
  private readonly playing = new WeakMap<HTMLMediaElement, Playing>();

  constructor(private readonly channel: FakeChannel) {
    install(this);
  }

  /** Names of the loaded streams, such as `e253`. */
  get streams(): string[] {
    return this.loaded.flatMap((url) => /\/s\/(\w+)\//.exec(url)?.[1] ?? []);
  }

  /** Length of a stream in seconds; a live stream has no end. */
  private durationOf(url: string): number {
    const [, prefix, id] = /\/s\/([a-z])(\d+)\//.exec(url) ?? [];
    if (prefix === "p") return SPOT_S;
    if (prefix === "l") return Number.POSITIVE_INFINITY;
    const { events, videos } = this.channel.state.catalogue;
    const media = [...events.flatMap((event) => event.media), ...videos.flatMap((video) => video.media ?? [])];
    return media.find((one) => one.id === Number(id))?.duration_s ?? CLIP_S;
  }

  of(element: HTMLMediaElement): Playing {
    const before = this.playing.get(element);
    if (before) return before;
    const playing: Playing = {
      src: "",
      time: 0,
      duration: Number.NaN,
      readyState: 0,
      isPaused: true,
      isSeeking: false,
      error: null,
      timer: undefined,
      tick: undefined,
    };
    this.playing.set(element, playing);
    return playing;
  }

  load(element: HTMLMediaElement): void {
    const playing = this.of(element);
    clearTimeout(playing.timer);
    clearInterval(playing.tick);
    const emit = (type: string) => element.dispatchEvent(new Event(type));
    if (playing.readyState > 0) emit("emptied");
    const src = element.getAttribute("src") ?? "";
    Object.assign(playing, { src, time: 0, duration: Number.NaN, readyState: 0, isSeeking: false, error: null });
    if (src === "") return;
    this.loaded.push(src);
    playing.timer = setTimeout(() => {
      Object.assign(playing, { duration: this.durationOf(src), readyState: HTMLMediaElement.HAVE_ENOUGH_DATA });
      for (const type of ["durationchange", "loadedmetadata", "loadeddata", "canplay"]) emit(type);
      if (!playing.isPaused) this.run(element);
    }, LOADING_MS);
  }

  /** The stream's files are gone: the element stops with the error of a source that can't be used. */
  remove(element: HTMLMediaElement): void {
    const playing = this.of(element);
    clearInterval(playing.tick);
    playing.error = { code: NOT_SUPPORTED, message: "" } as MediaError;
    element.dispatchEvent(new Event("error"));
  }

  private run(element: HTMLMediaElement): void {
    const playing = this.of(element);
    const emit = (type: string) => element.dispatchEvent(new Event(type));
    clearInterval(playing.tick);
    emit("playing");
    playing.tick = setInterval(() => {
      if (playing.isSeeking) return;
      playing.time = Math.min(playing.time + (TICK_MS / 1_000) * element.playbackRate, playing.duration);
      emit("timeupdate");
      if (playing.time === playing.duration) {
        clearInterval(playing.tick);
        playing.isPaused = true;
        emit("pause");
        emit("ended");
      }
    }, TICK_MS);
  }

  play(element: HTMLMediaElement): void {
    const playing = this.of(element);
    if (!playing.isPaused) return;
    if (playing.time === playing.duration) playing.time = 0;
    playing.isPaused = false;
    element.dispatchEvent(new Event("play"));
    if (playing.readyState > HTMLMediaElement.HAVE_CURRENT_DATA) this.run(element);
  }

  pause(element: HTMLMediaElement): void {
    const playing = this.of(element);
    if (playing.isPaused) return;
    clearInterval(playing.tick);
    playing.isPaused = true;
    for (const type of ["timeupdate", "pause"]) element.dispatchEvent(new Event(type));
  }

  seek(element: HTMLMediaElement, time: number): void {
    const playing = this.of(element);
    if (playing.readyState === 0) return;
    playing.time = Math.min(Math.max(0, time), playing.duration);
    playing.isSeeking = true;
    element.dispatchEvent(new Event("seeking"));
    clearTimeout(playing.timer);
    playing.timer = setTimeout(() => {
      playing.isSeeking = false;
      for (const type of ["timeupdate", "seeked"]) element.dispatchEvent(new Event(type));
    }, SEEKING_MS);
  }
}

/** Replaces the properties of jsdom's media element that a page uses. */
function install(media: VirtualMedia): void {
  Object.assign(globalThis, { MediaError: { MEDIA_ERR_NETWORK: NETWORK, MEDIA_ERR_DECODE: DECODE } });
  const read = <T>(get: (of: Playing) => T, set?: (element: HTMLMediaElement, value: T) => void) => ({
    configurable: true,
    get(this: HTMLMediaElement) {
      return get(media.of(this));
    },
    ...(set && {
      set(this: HTMLMediaElement, value: T) {
        set(this, value);
      },
    }),
  });
  const tracks = Object.assign(new EventTarget(), { [Symbol.iterator]: [][Symbol.iterator] });
  Object.defineProperties(HTMLMediaElement.prototype, {
    src: read(
      ({ src }) => src,
      (element, value) => {
        element.setAttribute("src", value);
        media.load(element);
      },
    ),
    currentTime: read(
      ({ time }) => time,
      (element, value) => media.seek(element, value),
    ),
    duration: read(({ duration }) => duration),
    readyState: read(({ readyState }) => readyState),
    paused: read(({ isPaused }) => isPaused),
    seeking: read(({ isSeeking }) => isSeeking),
    ended: read(({ time, duration }) => time === duration),
    error: read(({ error }) => error),
    buffered: read(({ duration }) => ranges(duration)),
    seekable: read(({ duration }) => ranges(duration)),
    textTracks: { configurable: true, get: () => tracks },
    // jsdom's list isn't an event target; most browsers have none.
    audioTracks: { configurable: true, value: undefined },
    canPlayType: { configurable: true, value: () => "maybe" },
    load: {
      configurable: true,
      value(this: HTMLMediaElement) {
        media.load(this);
      },
    },
    play: {
      configurable: true,
      async value(this: HTMLMediaElement) {
        media.play(this);
      },
    },
    pause: {
      configurable: true,
      value(this: HTMLMediaElement) {
        media.pause(this);
      },
    },
  });
}
