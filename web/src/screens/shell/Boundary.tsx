import { Component, type ReactNode } from "react";
import { Crash } from "./Trouble";

interface BoundaryProps {
  /** Where the viewer is: at another place, what broke here is no longer shown. */
  readonly place: string;
  readonly children: ReactNode;
}

/** Shows that a screen broke, or did not arrive, in its place. */
export class Boundary extends Component<BoundaryProps, { readonly broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidUpdate({ place }: BoundaryProps) {
    if (this.state.broken && place !== this.props.place) this.setState({ broken: false });
  }

  override render() {
    return this.state.broken ? <Crash /> : this.props.children;
  }
}
