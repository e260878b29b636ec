/** Head elements that describe one page only: addresses, languages, descriptions, cards and data. */
const OF_ONE_PAGE = '[rel=canonical],[hreflang],[name=description],[name^="twitter:"],[property],[type$="ld+json"]';

/** The path and query of a page. */
export const addressOf = ({ pathname, search }: { readonly pathname: string; readonly search: string }): string =>
  pathname + search;

/**
 * Removes the first page's head elements on navigation: a browser's share menu would send that page's address
 * (FOUND-1).
 */
export function leaveHead(opened: string, reached: string): void {
  if (opened === reached) return;
  for (const element of document.head.querySelectorAll(OF_ONE_PAGE)) element.remove();
}
