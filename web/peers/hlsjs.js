import Hls from "hls.js";

globalThis.play = (url) => {
  const video = document.createElement("video");
  video.playsInline = true;
  document.body.append(video);
  const hls = new Hls();
  hls.loadSource(url);
  hls.attachMedia(video);
  video.play().catch(() => undefined);
  return () => video;
};
