import { Component } from "react";
import { ProblemPanel } from "./ProblemPanel";

type Props = { children: React.ReactNode };

/** An error boundary: an error in one panel leaves the rest of the page intact. */
export class PanelBoundary extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <ProblemPanel error={this.state.error} retry={() => this.setState({ error: undefined })} />
    );
  }
}
