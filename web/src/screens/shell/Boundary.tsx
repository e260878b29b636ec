import { Component, type ReactNode } from "react";
import { Crash } from "./Trouble";

interface BoundaryProps {
  /** Where the viewer is: at another place, what broke here is no longer shown. */
  readonly place: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly broken: boolean;
  readonly place: string;
}

/** Shows that a screen broke, or did not arrive, in its place. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { broken: false, place: this.props.place };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  static getDerivedStateFromProps({ place }: BoundaryProps, state: BoundaryState) {
    return place === state.place ? null : { broken: false, place };
  }

  override render() {
    return this.state.broken ? <Crash /> : this.props.children;
  }
}
