if (origin === "null") {
  const notice = document.getElementById("framed");
  notice.hidden = false;
  const id = /^\/watch_embed\/(\d+)\/?$/.exec(location.pathname)?.[1];
  notice.querySelector("a").href = id ? `/watch/${id}` : "/";
} else {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    window.heldInstall = event;
  });
  const begin = () => {
    for (const link of document.querySelectorAll("link[rel=later]")) {
      link.rel = "modulepreload";
      if ("runs" in link.dataset) import(link.href);
    }
  };
  const painted = () => new PerformanceObserver(begin).observe({ type: "paint", buffered: true });
  const paintFirst = () => requestAnimationFrame(() => requestAnimationFrame(painted));
  const first = document.getElementById("first");
  if (first) {
    const { referrer, location } = document;
    try {
      const pages = JSON.parse(sessionStorage.getItem("touchline:early-pages") ?? "[]");
      if (pages.length < 20)
        pages.push({ pathname: location.pathname, search: location.search, referrer, opened: performance.timeOrigin });
      sessionStorage.setItem("touchline:early-pages", JSON.stringify(pages));
    } catch {}
  }
  if (!first || document.hidden || navigator.serviceWorker?.controller) begin();
  else {
    const picture = document.querySelector("#first [fetchpriority]");
    Promise.resolve(picture?.decode()).then(paintFirst, paintFirst);
    setTimeout(begin, 500);
  }
}
