import { Component, type ReactNode, useContext, useEffect, useState } from "react";
import { Loader } from "../../components/shell/Loader";
import { SiteContext } from "../../ports/site";
import { selectOnline } from "../../slices/network";
import { FailedRead } from "../FailedRead";
import { NotArrived } from "../lazyWithRetry";
import { useAppSelector } from "../state";
import { Broken } from "./ErrorOverlay";

interface BoundaryProps {
  /** The current location: navigating elsewhere clears the error. */
  readonly location: string;
  /** Renders nothing in place of the broken part. */
  readonly quiet?: boolean;
  readonly children: ReactNode;
}

type Failure =
  | { readonly kind: "none" }
  | { readonly kind: "crashed" }
  | { readonly kind: "missing"; readonly error: NotArrived };

interface BoundaryState {
  readonly failure: Failure;
  readonly location: string;
}

/** Delays before a part is loaded again, in milliseconds. */
const RETRY_AFTER = [1_000, 1_000, 2_000, 4_000, 8_000, 15_000] as const;
const LAST_RETRY = 30_000;
/** Failed attempts before an error is shown; retries continue. */
const QUIET_ATTEMPTS = 3;

interface MissingProps {
  readonly error: NotArrived;
  readonly quiet: boolean;
  readonly onRetry: () => void;
}

/**
 * Retries a failed load while there is a network. Browsers report a network before it is reachable, so the first
 * attempt often fails.
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
    let isUnmounted = false;
    const arrived = () => isUnmounted || onRetry();
    const missed = () => {
      if (isUnmounted) return;
      setFailed((before) => before + 1);
      void site?.replaceBuild();
    };
    const timer = setTimeout(() => void fetchAgain().then(arrived, missed), wait);
    return () => {
      isUnmounted = true;
      clearTimeout(timer);
    };
  }, [fetchAgain, online, wait, failed, onRetry, site]);
  if (quiet) return null;
  if (!online) return <FailedRead onRetry={onRetry} />;
  // A build that is no longer available needs a page reload.
  return failed < QUIET_ATTEMPTS ? <Loader /> : <Broken />;
}

/** Shows an error in place of a screen that crashed or failed to load. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: { kind: "none" }, location: this.props.location };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failure: error instanceof NotArrived ? { kind: "missing", error } : { kind: "crashed" } };
  }

  static getDerivedStateFromProps({ location }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return location === state.location ? null : { failure: { kind: "none" }, location };
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
