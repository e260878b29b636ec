import { Component, type ReactNode, useEffect, useState } from "react";
import { selectOnline } from "../../slices/network";
import { NotArrived } from "../arrivals";
import { FailedRead } from "../FailedRead";
import { useAppSelector } from "../state";
import { Broken } from "./Trouble";

interface BoundaryProps {
  /** Where the viewer is: at another place, what broke here is no longer shown. */
  readonly place: string;
  /** Shows nothing in place of what broke: the page stands without it. */
  readonly quiet?: boolean;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly broken: "no" | "missing" | "crashed";
  readonly place: string;
}

/** What did not arrive is asked for again when the network is back. */
function Missing({ quiet, onRetry }: { readonly quiet: boolean; readonly onRetry: () => void }) {
  const online = useAppSelector(selectOnline);
  const [wasOffline, setWasOffline] = useState(!online);
  if (!online && !wasOffline) setWasOffline(true);
  const isBack = online && wasOffline;
  useEffect(() => {
    if (isBack) onRetry();
  }, [isBack, onRetry]);
  if (quiet || isBack) return null;
  // A build of the site that is gone is got over by loading the page anew.
  return online ? <Broken /> : <FailedRead onRetry={onRetry} />;
}

/** Shows that a screen broke, or did not arrive, in its place. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { broken: "no", place: this.props.place };

  static getDerivedStateFromError(error: unknown) {
    return { broken: error instanceof NotArrived ? "missing" : "crashed" };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState) {
    return place === state.place ? null : { broken: "no", place };
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof NotArrived) error.again();
  }

  readonly retry = () => this.setState({ broken: "no" });

  override render() {
    const { children, quiet = false } = this.props;
    if (this.state.broken === "missing") return <Missing quiet={quiet} onRetry={this.retry} />;
    if (this.state.broken === "crashed") return quiet ? null : <Broken />;
    return children;
  }
}
