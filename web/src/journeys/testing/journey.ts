import { fireEvent } from "@testing-library/dom";
import { expect, it } from "vitest";
import { FakeChannel } from "./channel";
import type { Person } from "./channel/people";
import { secretsIn } from "./secrets";
import { View } from "./view";
import { VirtualBrowser } from "./virtualBrowser";

/** An invented person whose names occur nowhere else, so that a search finds them. */
export const VERA = {
  first_name: "Verapersonal",
  last_name: "Zquietname",
  email: "vera.zq@viewer.example",
  password: "correct horse zq battery",
} as const;

/** Test cards of the sandbox. */
export const CARDS = { pays: "4242424242424242", declines: "4000000000000002", asks: "4000002500003155" } as const;

/** The viewer's page and the browser around it. */
export class Page extends View {
  readonly channel: FakeChannel;

  constructor(override readonly browser: VirtualBrowser) {
    super(browser, () => document.body);
    this.channel = browser.channel;
  }

  goto(path: string): Promise<void> {
    return this.browser.goto(path);
  }

  reload(): Promise<void> {
    return this.browser.reload();
  }

  pass(ms: number): Promise<void> {
    return this.browser.pass(ms);
  }

  /** Presses a key at the focus, after the last rendering has settled. */
  async key(key: string): Promise<void> {
    await this.pass(10);
    fireEvent.keyDown(document.activeElement ?? document.body, { key });
  }

  /** Waits until the page is at that address. */
  async isAt(path: string | RegExp): Promise<void> {
    await this.browser.until(() => {
      const { address } = this.browser;
      const isThere = typeof path === "string" ? address === path : path.test(address);
      if (!isThere) throw new Error(`the page is at ${address}, not at ${path}: ${this.text().slice(0, 1_000)}`);
    });
  }

  /** Waits until the page marks itself as settled (`session/settled.ts`). */
  async settles(): Promise<void> {
    // A screen that was just loaded still has to render and to request its data.
    await this.pass(10);
    await this.browser.until(() => {
      // A failed expectation would print the whole document.
      if (document.documentElement.dataset.settled === undefined) throw new Error("the page is not settled");
    });
  }

  /** The action log, exported as support receives it. */
  async exportedLog(): Promise<string> {
    const before = (await this.browser.savedFiles()).length;
    document.dispatchEvent(new Event("touchline:export-log"));
    let files: string[] = [];
    await this.browser.until(() => {
      this.browser.savedFiles().then((saved) => {
        files = saved;
      });
      expect(files.length).toBeGreaterThan(before);
    });
    return files.at(-1) ?? "";
  }

  /** The page's video, once there is one. */
  video(): Promise<HTMLVideoElement> {
    return this.browser.untilDisplayed(() => {
      const video = document.querySelector<HTMLVideoElement>(".player__video");
      if (!video) throw new Error(`there is no video in: ${this.text().slice(0, 1_000)}`);
      return video;
    });
  }

  /** Waits until the video itself plays: after its preroll, its time advances. */
  async plays(): Promise<HTMLVideoElement> {
    return this.browser.until(() => {
      const video = document.querySelector<HTMLVideoElement>(".player__video");
      const isVideo = document.querySelector(".player__ad") === null;
      if (!isVideo || !video || video.paused || !(video.currentTime > 0))
        throw new Error(`no video plays: ${this.text().slice(0, 1_000)}`);
      return video;
    });
  }

  /** Gives this browser the key of Vera's account. */
  async signIn(person: Partial<Person> = {}): Promise<Person> {
    const vera = this.channel.state.people.add({ ...VERA, ...person });
    await this.browser.holdKey(vera);
    return vera;
  }

  /** Signs Vera in through the form, possibly after an earlier page. */
  async logIn(person: Partial<Person> = {}): Promise<Person> {
    const vera = this.channel.state.people.add({ ...VERA, ...person });
    await this.goto("/login");
    await this.main.fill("Email", vera.email);
    await this.main.fill(/^Password/, vera.password);
    await this.main.press("Log in");
    await this.isAt(/^(?!\/login)/);
    return vera;
  }

  /** Types a card into the fields of a new one. */
  async enterCard(number: string = CARDS.pays, within: View = this): Promise<void> {
    await within.fill("Card number", number);
    await within.fill("Expires", "12/30");
    await within.fill("Security code", "123");
  }

  /** Enters a card and presses *Pay*. */
  async payWith(number: string): Promise<void> {
    await this.enterCard(number);
    await this.press(/^Pay /);
  }

  /** Opens the newest mailed link with a subject. */
  async openEmail(subject: string): Promise<void> {
    const email = await this.browser.until(() => {
      const found = this.channel.state.people.mail.findLast((one) => one.subject.includes(subject));
      if (!found?.link) throw new Error(`no email ${subject}`);
      return found;
    });
    await this.goto(email.link ?? "");
  }
}

/**
 * A journey of one viewer: the whole site in jsdom, over the fake channel, on virtual time. It ends with a search for
 * secrets in everything the browser stores (LOG-2), and a check that the API document was never violated. The device's
 * clock is wrong by `clockError` ms.
 */
export function journey(name: string, walk: (page: Page) => Promise<void>, clockError = 0): void {
  it(name, async () => {
    VirtualBrowser.startClock(clockError);
    const channel = new FakeChannel();
    const browser = new VirtualBrowser(channel);
    try {
      await walk(new Page(browser));
      await browser.pass(100);
      expect(browser.faults, "errors of the site").toEqual([]);
      expect(channel.faults, "violations of the API document").toEqual([]);
      expect(await secretsIn(browser), "secrets in the browser's storage").toEqual([]);
    } finally {
      await browser.close();
    }
  });
}
