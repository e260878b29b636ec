import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { Builder, Capabilities, type WebDriver, type WebElement } from "selenium-webdriver";
import { type Engine, find, type Kind, type Tab } from "./engine";

const MINI_BROWSER = process.env.MINI_BROWSER ?? "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
/** Timeout of the driver's start, in milliseconds. */
const START_TIMEOUT_MS = 20_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** WebKitGTK's MiniBrowser by W3C WebDriver, on a virtual screen. */
export async function startWebKit(): Promise<Engine> {
  const port = await freePort();
  const driverProcess = spawn("xvfb-run", ["-a", "WebKitWebDriver", `--port=${port}`], {
    stdio: "ignore",
    detached: true,
    // WebKit's own sandbox needs user namespaces, which a container may lack.
    env: { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" },
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, driverProcess);
  const capabilities = new Capabilities({
    browserName: "MiniBrowser",
    "webkitgtk:browserOptions": { binary: MINI_BROWSER, args: ["--automation"] },
  });
  const driver = await new Builder().usingServer(url).withCapabilities(capabilities).build();
  await driver.manage().window().setRect({ width: 1280, height: 800 });
  let opened = 0;
  return {
    name: "WebKit",
    async open() {
      if (opened > 0) await driver.switchTo().newWindow("tab");
      opened += 1;
      return tabOf(driver, await driver.getWindowHandle());
    },
    async close() {
      await driver.quit().finally(() => process.kill(-(driverProcess.pid ?? 0), "SIGTERM"));
    },
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const status = await fetch(`${url}/status`).catch(() => null);
    if (status?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("WebKitWebDriver did not start");
}

function tabOf(driver: WebDriver, handle: string): Tab {
  const inTab = async <T>(work: () => Promise<T>): Promise<T> => {
    await driver.switchTo().window(handle);
    return work();
  };
  const found = async (kind: Kind, name: RegExp): Promise<WebElement | null> =>
    driver.executeScript<WebElement | null>(`return (${find})(...arguments)`, kind, name.source, name.flags);
  return {
    goto: (url) => inTab(() => driver.get(url)),
    evaluate: (script) => inTab(() => driver.executeScript(`return (${script})()`)),
    press: (kind, name) =>
      inTab(async () => {
        const element = await found(kind, name);
        await element?.click();
        return element !== null;
      }),
    type: (label, text) =>
      inTab(async () => {
        const element = await found("field", label);
        await element?.sendKeys(text);
        return element !== null;
      }),
  };
}
