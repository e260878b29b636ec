{
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
  if (!document.getElementById("first") || document.hidden || navigator.serviceWorker?.controller) begin();
  else {
    const picture = document.querySelector("#first [fetchpriority]");
    Promise.resolve(picture?.decode()).then(paintFirst, paintFirst);
    setTimeout(begin, 500);
  }
}
