/** What the worker puts into a head of its page alone: addresses, languages, descriptions, cards and data. */
const OF_ONE_PAGE = '[rel=canonical],[hreflang],[name=description],[name^="twitter:"],[property],[type$="ld+json"]';

interface Place {
  readonly pathname: string;
  readonly search: string;
}

/**
 * What the head says of the page that was opened first goes once another is reached: a browser's own share menu would send
 * that page's address (FOUND-1).
 */
export function leaveHead(opened: Place, reached: Place): void {
  if (opened.pathname === reached.pathname && opened.search === reached.search) return;
  for (const element of document.head.querySelectorAll(OF_ONE_PAGE)) element.remove();
}
