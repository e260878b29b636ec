import shaka from "shaka-player";

shaka.polyfill.installAll();

globalThis.play = (url) => {
  const video = document.createElement("video");
  video.playsInline = true;
  document.body.append(video);
  const player = new shaka.Player();
  player
    .attach(video)
    .then(() => player.load(url))
    .then(() => video.play())
    .catch(() => undefined);
  return () => video;
};
