import { act, configure, render } from "@testing-library/react";
import { Provider } from "react-redux";
import { createMemoryRouter, type DataRouter, RouterProvider } from "react-router";
import { type Account } from "../../api";
import { createAccount } from "../../api/account";
import { memory } from "../../api/testing/channel";
import { AccountContext } from "../../ports/account";
import { type RobotCheck, RobotCheckContext } from "../../ports/robots";
import { openWorld, type Script, type TestWorld } from "../../sagas/testing/world";
import { SiteRoutes } from "../../screens/routes";

/** The whole site with its screens, on scripted ports and virtual time. */
export interface TestPage {
  readonly world: TestWorld;
  readonly account: Account;
  readonly router: DataRouter;
  /** Advances virtual time and rerenders. */
  pass(ms?: number): Promise<void>;
  /** Goes to another page of the site. */
  go(path: string): Promise<void>;
}

// A screen is loaded when it is first opened.
configure({ asyncUtilTimeout: 60_000, getElementError: (message) => new Error(message ?? "") });

/** jsdom has no layout: nothing is ever in view, and nothing has a size. */
class NoIntersectionObserver {
  observe(): void {}
  disconnect(): void {}
}

/** The parts of a browser that jsdom lacks: the top layer of dialogs, scrolling, and visibility. */
function completeBrowser(): void {
  window.scrollTo = () => undefined;
  Element.prototype.scrollIntoView ??= () => undefined;
  window.IntersectionObserver ??= NoIntersectionObserver as unknown as typeof IntersectionObserver;
  window.ResizeObserver ??= NoIntersectionObserver as unknown as typeof ResizeObserver;
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
}

/** Opens the site at `path`. `account` receives personal data from forms, `robots` tells humans from robots. */
export const showPage = async (
  path: string,
  script: Script = {},
  account?: Account,
  robots: RobotCheck | null = null,
): Promise<TestPage> => showWorld(await openWorld(script), path, account, robots);

/** Renders a world in its current state, or in that of its last load. */
export async function showWorld(
  world: TestWorld,
  path: string,
  account?: Account,
  robots: RobotCheck | null = null,
): Promise<TestPage> {
  completeBrowser();
  let handles = 0;
  const personal =
    account ?? createAccount({ database: memory(), newHandle: () => `h${++handles}`, personStored: () => undefined });
  const router = createMemoryRouter([{ path: "*", element: <SiteRoutes /> }], { initialEntries: [path] });
  await act(async () => {
    render(
      <AccountContext.Provider value={personal}>
        <Provider store={world.store()}>
          <RobotCheckContext.Provider value={robots}>
            <RouterProvider router={router} />
          </RobotCheckContext.Provider>
        </Provider>
      </AccountContext.Provider>,
    );
  });
  const pass = (ms = 0) => act(() => world.pass(ms));
  await pass();
  return { world, account: personal, router, pass, go: (to) => act(() => router.navigate(to)) };
}
