import { Component } from "react";
import { ProblemPanel } from "./ProblemPanel";

type Props = { children: React.ReactNode };

/** Keeps a fault in one panel from taking the page with it. */
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
