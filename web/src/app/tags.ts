/** The tag manager's data layer: an array on the window, which its script reads. */
type Tagged = Window & { dataLayer?: object[] };

/** Adds an entry. The array is never replaced: the tag manager patches its `push`. */
export function tag(entry: object): void {
  const page = window as Tagged;
  page.dataLayer ??= [];
  // Otherwise the tag manager merges an earlier sale into this entry.
  if ("ecommerce" in entry) page.dataLayer.push({ ecommerce: null });
  page.dataLayer.push(entry);
}

/** Loads a container, which processes the existing data layer. The page's policy allows its host. */
export function openTagManager(container: string): void {
  tag({ "gtm.start": Date.now(), event: "gtm.js" });
  const script = document.createElement("script");
  script.async = true;
  script.src = `https://www.googletagmanager.com/gtm.js?id=${encodeURIComponent(container)}`;
  document.head.append(script);
}
