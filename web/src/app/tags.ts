/** The tag manager's data layer: a list on the window, which its script reads. */
type Tagged = Window & { dataLayer?: object[] };

/** Adds an entry. The list stays the same one: the tag manager listens to its `push`. */
export function tag(entry: object): void {
  const page = window as Tagged;
  page.dataLayer ??= [];
  // What an earlier entry said of a sale would be merged into what this one says.
  if ("ecommerce" in entry) page.dataLayer.push({ ecommerce: null });
  page.dataLayer.push(entry);
}

/** Loads a container: its script goes on from what the data layer holds. The page's policy lets it in by its host. */
export function openTagManager(container: string): void {
  tag({ "gtm.start": Date.now(), event: "gtm.js" });
  const script = document.createElement("script");
  script.async = true;
  script.src = `https://www.googletagmanager.com/gtm.js?id=${encodeURIComponent(container)}`;
  document.head.append(script);
}
