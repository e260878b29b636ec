/** The tag manager's data layer: a list on the window, which its script reads where the channel has one. */
type Tagged = Window & { dataLayer?: object[] };

/** Adds an entry. The list stays the same one: the tag manager listens to its `push`. */
export function tag(entry: object): void {
  const page = window as Tagged;
  page.dataLayer ??= [];
  page.dataLayer.push(entry);
}
