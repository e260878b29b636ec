import { matchPath, routes } from "../navigation";

export interface ContainerGateParts {
  /** Loads the container: its scripts read all of the page from then on. */
  open(container: string): void;
  /** Loads the page anew, without the container. */
  reload(): void;
  /** A link with secrets opened the page: the browser remembers its address for as long as the page lives. */
  readonly hadSecrets: boolean;
}

/** Decides where the tag manager's container may be (ANA-5). */
export interface ContainerGate {
  /** The viewer and the channel let it be loaded. */
  want(container: string): void;
  /** The page is at this path now. */
  reach(pathname: string): void;
}

/** Where passwords are typed, and where the address opens somebody's clip for whoever has it. */
function isPrivate(pathname: string): boolean {
  const name = matchPath(pathname, [])?.name;
  return name !== undefined && name !== "content" && (routes[name].auth || name === "share" || name === "profileEdit");
}

/** A script that was loaded can only be left behind: a private page that is reached with it is loaded anew. */
export function createContainerGate({ open, reload, hadSecrets }: ContainerGateParts): ContainerGate {
  // The browser tells scripts the address that the page was loaded with for as long as it lives: a share's opens a clip.
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
