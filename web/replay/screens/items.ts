/** An element of a screen that says something. */
export interface Item {
  /** `text`, `title`, `link`, `button`, `checkbox`, … */
  readonly role: string;
  /** Its text or accessible name, with single spaces. */
  readonly label: string;
  /** The key of the text, if it is one text of the catalogue. */
  readonly key?: string | undefined;
  /** Its address, and whether it is disabled or checked. */
  readonly state: readonly string[];
  /** Absent for a text. */
  readonly element?: Element | undefined;
}

/** Isolates around values in texts, which nobody sees. */
const ISOLATES = /[\u2066-\u2069]/g;

const plain = (text: string): string => text.replace(ISOLATES, "").replace(/\s+/g, " ").trim();

const HIDDEN = "script, style, template, noscript, [hidden], dialog:not([open])";
const TEXT_NODE = 3;
const ELEMENT_NODE = 1;

const TYPES: Readonly<Record<string, string>> = {
  A: "link",
  BUTTON: "button",
  IMG: "image",
  SELECT: "list",
  OPTION: "option",
  TEXTAREA: "field",
  INPUT: "field",
};

function roleOf(element: Element): string {
  const role = element.getAttribute("role");
  if (role !== null) return role;
  const type = element.tagName === "INPUT" ? element.getAttribute("type") : null;
  if (type === "checkbox" || type === "radio") return type;
  if (element.tagName === "A" && !element.hasAttribute("href")) return "text";
  return TYPES[element.tagName] ?? "text";
}

/** Elements that are one item, with all text inside. */
const isWhole = (role: string): boolean => role === "button" || role === "option";

const CHECKED = ["aria-checked", "aria-pressed", "aria-selected", "aria-current"] as const;

function stateOf(element: Element): string[] {
  const { disabled, checked, value } = element as Partial<HTMLInputElement>;
  const href = element.tagName === "A" ? element.getAttribute("href") : null;
  const isDisabled = disabled === true || element.getAttribute("aria-disabled") === "true";
  const isField = element.tagName === "INPUT" || element.tagName === "TEXTAREA";
  return [
    ...(href === null ? [] : [`to ${href}`]),

    ...(isDisabled ? ["disabled"] : []),
    ...(checked === true ? ["checked"] : []),
    ...CHECKED.flatMap((name) => {
      const set = element.getAttribute(name);
      return set === null || set === "false" ? [] : [`${name.slice("aria-".length)}${set === "true" ? "" : ` ${set}`}`];
    }),
    ...(isField && checked !== true && value ? [`with ${plain(value)}`] : []),
  ];
}

function labelOf(element: Element): string {
  const label = element.getAttribute("aria-label") ?? element.getAttribute("alt");
  if (label !== null) return plain(label);
  const ids = element.getAttribute("aria-labelledby")?.split(/\s+/) ?? [];
  const named = ids.map((id) => element.ownerDocument.getElementById(id)?.textContent ?? "");
  const { labels, placeholder } = element as Partial<HTMLInputElement>;
  const texts = ids.length > 0 ? named : [...(labels ?? [])].map(({ textContent }) => textContent ?? "");
  return plain(texts.join(" ") || (placeholder ?? ""));
}

/** The text of an element and all inside, with a space between elements. */
function textIn(node: Node): string {
  if (node.nodeType === TEXT_NODE) return node.textContent ?? "";
  if (node.nodeType !== ELEMENT_NODE || (node as Element).matches(HIDDEN)) return "";
  const label = (node as Element).getAttribute("aria-label") ?? (node as Element).getAttribute("alt");
  return ` ${label ?? [...node.childNodes].map(textIn).join("")} `;
}

/** The texts, labels, links and fields of a screen, in their order. */
export function itemsOf(document: Document, textKeys: ReadonlyMap<string, string>): Item[] {
  const keys = new Map([...textKeys].map(([text, key]) => [plain(text), key]));
  const items: Item[] = [];

  function add(role: string, label: string, state: readonly string[] = [], element?: Element): void {
    if (label !== "" || state.length > 0) items.push({ role, label, key: keys.get(label), state, element });
  }

  function read(element: Element): void {
    if (element.matches(HIDDEN)) return;
    const role = roleOf(element);
    const label = labelOf(element);
    const state = stateOf(element);
    if (isWhole(role)) return add(role, label || plain(textIn(element)), state, element);
    if (role !== "text" || label !== "") add(role, label, state, element);
    let text = "";
    for (const node of element.childNodes) {
      if (node.nodeType === TEXT_NODE) text += node.textContent ?? "";
      if (node.nodeType !== ELEMENT_NODE) continue;
      add("text", plain(text));
      text = "";
      read(node as Element);
    }
    add("text", plain(text));
  }

  add("title", plain(document.title));
  read(document.body);
  return items;
}

/** A number with its separators, and ids: they differ from session to session. */
const NUMBER = /\d+(?:[.,:\u00a0\u202f]\d+)*/g;

/** An item's name among the items of all sessions. */
export const generalName = ({ role, label, key }: Item): string =>
  `${role} ${key ?? `“${label.replace(NUMBER, "#")}”`}`;
