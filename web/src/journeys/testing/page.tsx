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

/** The site itself, screens and all, on scripted ports and virtual time. */
export interface ShownPage {
  readonly world: TestWorld;
  readonly account: Account;
  readonly router: DataRouter;
  /** Lets virtual time pass, and what is shown follow. */
  pass(ms?: number): Promise<void>;
  /** Goes to another page of the site. */
  go(path: string): Promise<void>;
}

// A screen that is opened first is fetched and made first.
configure({ asyncUtilTimeout: 10_000, getElementError: (message) => new Error(message ?? "") });

/** jsdom lays nothing out: nothing is ever seen, and nothing has a size. */
class NeverSeen {
  observe(): void {}
  disconnect(): void {}
}

/** What jsdom lacks of a browser: the top layer of dialogs, scrolling, and what is in view. */
function completeBrowser(): void {
  window.scrollTo = () => undefined;
  window.IntersectionObserver ??= NeverSeen as unknown as typeof IntersectionObserver;
  window.ResizeObserver ??= NeverSeen as unknown as typeof ResizeObserver;
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
}

/** Opens the site at `path`. `account` is where forms put what is personal, `robots` what tells people from robots. */
export const showPage = async (
  path: string,
  script: Script = {},
  account?: Account,
  robots: RobotCheck | null = null,
): Promise<ShownPage> => showWorld(await openWorld(script), path, account, robots);

/** Shows a world as it stands, or as its last load left it. */
export async function showWorld(
  world: TestWorld,
  path: string,
  account?: Account,
  robots: RobotCheck | null = null,
): Promise<ShownPage> {
  completeBrowser();
  let handles = 0;
  const own =
    account ?? createAccount({ database: memory(), newHandle: () => `h${++handles}`, personStored: () => undefined });
  const router = createMemoryRouter([{ path: "*", element: <SiteRoutes /> }], { initialEntries: [path] });
  await act(async () => {
    render(
      <AccountContext.Provider value={own}>
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
  return { world, account: own, router, pass, go: (to) => act(() => router.navigate(to)) };
}
