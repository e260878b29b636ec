/** An audio track of a video that the browser plays itself (HTML standard; Safari only). */
interface NativeAudioTrack {
  readonly kind: string;
  readonly label: string;
  readonly language: string;
  enabled: boolean;
}

/** WebKit's names of what a video can do. Only Safari has them; an iPhone has no others for full screen. */
export interface WebKitVideo extends HTMLVideoElement {
  /** False until the metadata has loaded, and in a frame that may not go full screen. */
  readonly webkitSupportsFullscreen?: boolean;
  readonly webkitDisplayingFullscreen?: boolean;
  webkitEnterFullscreen?(): void;
  webkitExitFullscreen?(): void;
  readonly audioTracks?: EventTarget & ArrayLike<NativeAudioTrack>;
  readonly webkitPresentationMode?: string;
  webkitSupportsPresentationMode?(mode: string): boolean;
  webkitSetPresentationMode?(mode: string): void;
  /** The AirPlay picker. */
  webkitShowPlaybackTargetPicker?(): void;
}
