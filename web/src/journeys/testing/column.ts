import { vi } from "vitest";

/** Height of a row, in pixels. */
const ROW_PX = 80;
/** Height of what is around the rows. */
const FRAME_PX = 400;

const rows = (): Element[] => [...document.querySelectorAll("main a[href]")];

/** Size observers are notified of every change of the page. */
class MutationSizeObserver {
  private readonly watch: MutationObserver;

  constructor(changed: () => void) {
    this.watch = new MutationObserver(changed);
  }
  observe(): void {
    this.watch.observe(document.body, { subtree: true, childList: true });
  }
  unobserve(): void {}
  disconnect(): void {
    this.watch.disconnect();
  }
}

/** A layout for jsdom, of one column: each link of the page's main part is a row of it. */
export function layOutColumn(): {
  reveal(link: Element): void;
  isInWindow(link: Element): boolean;
  /** Leaves the document without a layout. */
  restore(): void;
} {
  let top = 0;
  const topOf = (element: Element): number => FRAME_PX / 2 + rows().indexOf(element) * ROW_PX - top;
  const height = (): number => FRAME_PX + rows().length * ROW_PX;
  const scrollTo = (_: number, to: number): void => {
    top = Math.max(0, Math.min(to, height() - window.innerHeight));
    window.dispatchEvent(new Event("scroll"));
  };
  Object.assign(window, { scrollTo, ResizeObserver: MutationSizeObserver });
  const scrollY = Object.getOwnPropertyDescriptor(window, "scrollY") ?? { value: 0, configurable: true };
  Object.defineProperty(window, "scrollY", { configurable: true, get: () => top });
  Object.defineProperty(document.documentElement, "scrollHeight", { configurable: true, get: height });
  const rects = vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function rect(this: Element) {
    return { top: topOf(this), bottom: topOf(this) + ROW_PX, height: ROW_PX, left: 0, right: 0, width: 0 } as DOMRect;
  });
  return {
    reveal: (link) => window.scrollTo(0, top + topOf(link) - window.innerHeight / 2),
    isInWindow: (link) => link.isConnected && topOf(link) >= 0 && topOf(link) + ROW_PX <= window.innerHeight,
    restore() {
      rects.mockRestore();
      Object.defineProperty(window, "scrollY", scrollY);
      Reflect.deleteProperty(document.documentElement, "scrollHeight");
    },
  };
}
