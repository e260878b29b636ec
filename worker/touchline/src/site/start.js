{
  const begin = () => {
    for (const link of document.querySelectorAll("link[rel=later]")) {
      link.rel = "modulepreload";
      if ("runs" in link.dataset) import(link.href);
    }
  };
  const paintFirst = () => requestAnimationFrame(() => setTimeout(begin));
  if (!document.getElementById("first") || document.hidden || navigator.serviceWorker?.controller) begin();
  else {
    const picture = document.querySelector("#first [fetchpriority]");
    Promise.resolve(picture?.decode()).then(paintFirst, paintFirst);
    setTimeout(begin, 500);
  }
}
