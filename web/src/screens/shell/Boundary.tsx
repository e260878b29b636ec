import { Component, type ReactNode, useContext, useEffect, useState } from "react";
import { Loader } from "../../components/shell/Loader";
import { SiteContext } from "../../ports/site";
import { selectOnline } from "../../slices/network";
import { FailedRead } from "../FailedRead";
import { NotArrived } from "../lazyWithRetry";
import { useAppSelector } from "../state";
import { Broken } from "./ErrorOverlay";

interface BoundaryProps {
  /** Where the viewer is: at another place, what broke here is no longer shown. */
  readonly place: string;
  /** Shows nothing in place of what broke: the page stands without it. */
  readonly quiet?: boolean;
  readonly children: ReactNode;
}

type Failure =
  | { readonly kind: "none" }
  | { readonly kind: "crashed" }
  | { readonly kind: "missing"; readonly error: NotArrived };

interface BoundaryState {
  readonly failure: Failure;
  readonly place: string;
}

/** Waits before a part is fetched again, milliseconds. */
const RETRY_AFTER = [1_000, 1_000, 2_000, 4_000, 8_000, 15_000] as const;
const LAST_RETRY = 30_000;
/** After so many attempts in vain the page says that something is wrong, and goes on trying. */
const QUIET_ATTEMPTS = 3;

interface MissingProps {
  readonly error: NotArrived;
  readonly quiet: boolean;
  readonly onRetry: () => void;
}

/**
 * Fetches what did not arrive until it is there, as long as there is a network. The browser says that there is one before
 * it can be reached: the first attempt after its return often fails.
 */
function Missing({ error: { fetchAgain }, quiet, onRetry }: MissingProps) {
  const online = useAppSelector(selectOnline);
  const [wasOffline, setWasOffline] = useState(!online);
  const [failed, setFailed] = useState(0);
  const site = useContext(SiteContext);
  if (!online && !wasOffline) {
    setWasOffline(true);
    setFailed(0);
  }
  if (wasOffline && online && failed > 0) setWasOffline(false);
  const wait = wasOffline ? 0 : (RETRY_AFTER[failed] ?? LAST_RETRY);
  useEffect(() => {
    if (!online) return;
    let isLeft = false;
    const arrived = () => isLeft || onRetry();
    const missed = () => {
      if (isLeft) return;
      setFailed((before) => before + 1);
      void site?.replaceBuild();
    };
    const timer = setTimeout(() => void fetchAgain().then(arrived, missed), wait);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [fetchAgain, online, wait, failed, onRetry, site]);
  if (quiet) return null;
  if (!online) return <FailedRead onRetry={onRetry} />;
  // A build of the site that is gone is got over by loading the page anew.
  return failed < QUIET_ATTEMPTS ? <Loader /> : <Broken />;
}

/** Shows that a screen broke, or did not arrive, in its place. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: { kind: "none" }, place: this.props.place };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failure: error instanceof NotArrived ? { kind: "missing", error } : { kind: "crashed" } };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return place === state.place ? null : { failure: { kind: "none" }, place };
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof NotArrived) error.forget();
  }

  readonly retry = () => this.setState({ failure: { kind: "none" } });

  override render() {
    const { children, quiet = false } = this.props;
    const { failure } = this.state;
    if (failure.kind === "missing") return <Missing error={failure.error} quiet={quiet} onRetry={this.retry} />;
    if (failure.kind === "crashed") return quiet ? null : <Broken />;
    return children;
  }
}
