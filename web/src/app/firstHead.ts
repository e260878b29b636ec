/** What the worker puts into a head of its page alone: addresses, languages, descriptions, cards and data. */
const OF_ONE_PAGE = '[rel=canonical],[hreflang],[name=description],[name^="twitter:"],[property],[type$="ld+json"]';

/** Where a page is, below its origin. */
export const addressOf = ({ pathname, search }: { readonly pathname: string; readonly search: string }): string =>
  pathname + search;

/**
 * What the head says of the page that was opened first goes once another is reached: a browser's own share menu would send
 * that page's address (FOUND-1).
 */
export function leaveHead(opened: string, reached: string): void {
  if (opened === reached) return;
  for (const element of document.head.querySelectorAll(OF_ONE_PAGE)) element.remove();
}
