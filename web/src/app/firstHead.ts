/** What the worker puts into a head of its page alone. */
const OF_ONE_PAGE = [
  "link[rel=canonical]",
  "link[rel=alternate][hreflang]",
  "meta[name=description]",
  "meta[name=robots]",
  'meta[name^="twitter:"]',
  'meta[property^="og:"]',
  'script[type="application/ld+json"]',
].join();

interface Place {
  readonly pathname: string;
  readonly search: string;
}

const addressOf = ({ pathname, search }: Place): string => `${pathname}${search}`;

/**
 * What the head says of the page that was opened first goes once another is reached: a browser's own share menu would send
 * that page's address (FOUND-1).
 */
export function headOfFirst(document: Document, first: Place): (reached: Place) => void {
  const opened = addressOf(first);
  return (reached) => {
    if (addressOf(reached) === opened) return;
    for (const element of document.head.querySelectorAll(OF_ONE_PAGE)) element.remove();
  };
}
