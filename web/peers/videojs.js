import "@videojs/html/video/player";
import "@videojs/html/media/hls-video";

globalThis.play = (url) => {
  const player = document.createElement("video-player");
  const video = document.createElement("hls-video");
  video.setAttribute("playsinline", "");
  video.setAttribute("autoplay", "");
  player.append(video);
  document.body.append(player);
  video.src = url;
  video.addEventListener("canplay", () => void Promise.resolve(video.play()).catch(() => undefined), { once: true });
  return () => video.target ?? video.shadowRoot?.querySelector("video") ?? video.querySelector("video");
};
