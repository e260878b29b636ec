import { fireEvent } from "@testing-library/dom";
import type { VirtualBrowser } from "./virtualBrowser";

type Name = string | RegExp;

const spaced = (text: string): string => text.replace(/\s+/g, " ").trim();
const fits = (text: string, name: Name): boolean => (typeof name === "string" ? text === name : name.test(text));

/** The accessible name of a button or link. */
function nameOf(element: Element): string {
  const labelledBy = element.getAttribute("aria-labelledby");
  if (labelledBy !== null)
    return spaced(
      labelledBy
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent ?? "")
        .join(" "),
    );
  return spaced(element.getAttribute("aria-label") ?? element.textContent ?? "");
}

const isDisabled = (element: Element): boolean =>
  (element as HTMLButtonElement).disabled === true || element.getAttribute("aria-disabled") === "true";

type Find = () => Element;

/**
 * A part of the page as a viewer sees and uses it. Each operation waits for its element on virtual time. A name must
 * match completely if it is a string; a text may be part of a longer one.
 */
export class View {
  constructor(
    protected readonly browser: VirtualBrowser,
    private readonly find: Find,
  ) {}

  /** The part that a selector names; if there are several, the one that contains `text`. */
  within(selector: string, text?: Name): View {
    return new View(this.browser, () => {
      const all = [...this.find().querySelectorAll(selector)];
      const found = all.find((one) => text === undefined || holds(one, text));
      if (!found) throw new Error(`there is no ${selector}${text === undefined ? "" : ` with ${text}`}`);
      return found;
    });
  }

  get main(): View {
    return this.within("main");
  }

  /** The dialog of that title, or the one that is open. */
  dialog(title?: Name): View {
    return this.within("dialog[open]", title);
  }

  /** Presses a button or link once it is enabled. */
  async press(name: Name): Promise<void> {
    const element = await this.browser.untilDisplayed(() => {
      const found = this.pressable(name);
      if (isDisabled(found)) throw new Error(`${name} is disabled`);
      return found;
    });
    fireEvent.click(element);
  }

  /** Whether a button or link exists and is enabled. */
  can(name: Name): boolean {
    try {
      return !isDisabled(this.pressable(name));
    } catch {
      return false;
    }
  }

  private pressable(name: Name): Element {
    const all = this.find().querySelectorAll("button, a[href], [role=button], [role=tab], summary");
    const found = [...all].find((one) => fits(nameOf(one), name));
    if (!found) throw new Error(`there is no button or link ${name} in: ${this.text().slice(0, 1_500)}`);
    return found;
  }

  /** Types into the field of that label. */
  async fill(label: Name, value: string): Promise<void> {
    fireEvent.change(await this.field(label), { target: { value } });
  }

  /** Ticks or selects the option with that label. */
  async choose(label: Name): Promise<void> {
    fireEvent.click(await this.field(label));
  }

  /** Chooses an option of a list by its text. */
  async select(label: Name, option: string): Promise<void> {
    const list = await this.list(label, option);
    const value = [...list.options].find(({ textContent }) => spaced(textContent ?? "") === option)?.value;
    fireEvent.change(list, { target: { value } });
  }

  /** The list of that label, once it has the option: options may arrive after their list. */
  async list(label: Name, option: string): Promise<HTMLSelectElement> {
    const list = (await this.field(label)) as Element as HTMLSelectElement;
    return this.browser.untilDisplayed(() => {
      if (![...list.options].some(({ textContent }) => spaced(textContent ?? "") === option))
        throw new Error(`${label} has no option ${option}`);
      return list;
    });
  }

  /** The field of that label, once it exists. */
  field(label: Name): Promise<HTMLInputElement> {
    return this.browser.untilDisplayed(() => {
      const labels = [...this.find().querySelectorAll<HTMLLabelElement>("label")];
      const found =
        labels.find((one) => one.control && fits(spaced(one.textContent ?? ""), label))?.control ??
        [...this.find().querySelectorAll("input, select, textarea")].find((one) => fits(nameOf(one), label));
      if (!found) throw new Error(`there is no field ${label} in: ${this.text().slice(0, 1_500)}`);
      return found as HTMLInputElement;
    });
  }

  /** Waits until a text is visible. */
  async sees(text: Name): Promise<void> {
    await this.browser.untilDisplayed(() => {
      if (!holds(this.find(), text)) throw new Error(`${text} is not in: ${this.text().slice(0, 2_500)}`);
    });
  }

  /** Waits until a text is absent. */
  async lacks(text: Name): Promise<void> {
    await this.browser.untilDisplayed(() => {
      if (this.has(text)) throw new Error(`${text} is still in: ${this.text().slice(0, 2_500)}`);
    });
  }

  /** Waits until this part of the page exists. */
  async appears(): Promise<void> {
    await this.browser.untilDisplayed(() => this.find());
  }

  /** Waits until this part of the page is gone. */
  async goes(): Promise<void> {
    await this.browser.untilDisplayed(() => {
      if (this.isThere()) throw new Error(`it is still there: ${this.text().slice(0, 500)}`);
    });
  }

  isThere(): boolean {
    try {
      return this.find() !== null;
    } catch {
      return false;
    }
  }

  has(text: Name): boolean {
    return this.isThere() && holds(this.find(), text);
  }

  /** All its text. */
  text(): string {
    return this.isThere() ? spaced(this.find().textContent ?? "") : "";
  }

  all(selector: string): Element[] {
    return this.isThere() ? [...this.find().querySelectorAll(selector)] : [];
  }
}

/** Whether an element's text contains a string, or an element within it matches a pattern. */
function holds(element: Element, text: Name): boolean {
  if (typeof text === "string") return spaced(element.textContent ?? "").includes(spaced(text));
  return [element, ...element.querySelectorAll("*")].some((one) => text.test(spaced(one.textContent ?? "")));
}
