import { type ElementHandle, launch, type Page } from "puppeteer-core";
import { type Engine, find, type Kind, type Tab } from "./engine";

/** Debian's Firefox by WebDriver BiDi. */
export async function startFirefox(): Promise<Engine> {
  const browser = await launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    headless: true,
    defaultViewport: { width: 1280, height: 800 },
    extraPrefsFirefox: { "media.autoplay.default": 0, "media.autoplay.blocking_policy": 0 },
  });
  return {
    name: "Firefox",
    open: async () => tabOf(await browser.newPage()),
    close: () => browser.close(),
  };
}

function tabOf(page: Page): Tab {
  const found = async (kind: Kind, name: RegExp): Promise<ElementHandle | null> => {
    const handle = await page.evaluateHandle(find, kind, name.source, name.flags);
    return handle.asElement() as ElementHandle | null;
  };
  return {
    goto: async (url) => void (await page.goto(url, { waitUntil: "domcontentloaded" })),
    evaluate: (script) => page.evaluate(script) as Promise<ReturnType<typeof script>>,
    async press(kind, name) {
      const element = await found(kind, name);
      await element?.click();
      return element !== null;
    },
    async type(label, text) {
      const element = await found("field", label);
      await element?.type(text);
      return element !== null;
    },
  };
}
