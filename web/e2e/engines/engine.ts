/** The elements that a viewer looks for. */
export type Kind = "button" | "link" | "field" | "checkbox";

/** A tab of a browser. */
export interface Tab {
  /** Loads an address. */
  goto(url: string): Promise<void>;
  /** Evaluates a function in the page. */
  evaluate<T>(script: () => T): Promise<T>;
  /** Presses the first visible element whose name matches, as a pointer does. Returns whether there is one. */
  press(kind: Kind, name: RegExp): Promise<boolean>;
  /** Types into the first visible field whose label matches. Returns whether there is one. */
  type(label: RegExp, text: string): Promise<boolean>;
}

/** A browser other than Chromium, with a profile of its own (PWA-3). */
export interface Engine {
  readonly name: string;
  /** Opens a tab and brings it to the front. */
  open(): Promise<Tab>;
  close(): Promise<void>;
}

/** Runs in a page: the first visible element of a kind whose name matches a pattern. It is scrolled into view. */
export function find(kind: Kind, source: string, flags: string): Element | null {
  const selectors = {
    button: "button, [role=button], input[type=submit]",
    link: "a[href]",
    field: "input:not([type=checkbox], [type=radio]), textarea, select",
    checkbox: "input[type=checkbox], [role=checkbox]",
  };
  const pattern = new RegExp(source, flags);
  const nameOf = (element: Element): string => {
    const labels = Array.from((element as HTMLInputElement).labels ?? [], (label) => label.textContent);
    const name = element.getAttribute("aria-label") ?? (labels.length > 0 ? labels.join(" ") : element.textContent);
    return (name ?? "").replace(/\s+/g, " ").trim();
  };
  for (const element of document.querySelectorAll(`:is(#root, dialog) :is(${selectors[kind]})`)) {
    const { width, height } = element.getBoundingClientRect();
    const isHidden = width === 0 || height === 0 || (element as HTMLButtonElement).disabled === true;
    if (isHidden || element.closest("[inert], [aria-hidden=true]") || !pattern.test(nameOf(element))) continue;
    element.scrollIntoView({ block: "center" });
    return element;
  }
  return null;
}
