import { matchPath, routes } from "../navigation";

export interface ContainerGateDeps {
  /** Loads the container. Its scripts can read the whole page from then on. */
  open(container: string): void;
  /** Reloads the page without the container. */
  reload(): void;
  /** A link with secrets opened the page: the browser exposes that address for the lifetime of the page. */
  readonly hadSecrets: boolean;
}

/** Decides where the tag manager's container may be loaded (ANA-5). */
export interface ContainerGate {
  /** Viewer and channel have both allowed the container. */
  want(container: string): void;
  reach(pathname: string): void;
}

/** Password pages, and pages whose address alone grants access to a clip. */
function isPrivate(pathname: string): boolean {
  const name = matchPath(pathname, [])?.name;
  return name !== undefined && name !== "content" && (routes[name].auth || name === "share" || name === "profileEdit");
}

/** A loaded script can't be unloaded: a private page that is reached with it is reloaded. */
export function createContainerGate({ open, reload, hadSecrets }: ContainerGateDeps): ContainerGate {
  // Scripts can read the initial address for the lifetime of the page; the address of a shared clip grants access to
  // it.
  let isClosed = hadSecrets;
  let wanted: string | null = null;
  let here: string | null = null;
  let isOpen = false;
  function look(): void {
    if (here === null || isClosed) return;
    if (isOpen) {
      if (isPrivate(here)) reload();
    } else if (wanted !== null && !isPrivate(here)) {
      isOpen = true;
      open(wanted);
    }
  }
  return {
    want(container) {
      wanted = container;
      look();
    },
    reach(pathname) {
      isClosed ||= here === null && matchPath(pathname, [])?.name === "share";
      here = pathname;
      look();
    },
  };
}
