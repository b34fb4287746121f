/** Limits a fault to one part of the page. */

import { Component, type ComponentChildren } from "preact";
import { say } from "../core/language";
import { Button } from "./button";

interface Props {
  /** The part is shown again when one of these changes. */
  of: unknown[];
  /** Leaves the failed part. Without it, a failed part shows nothing. */
  onBack?: () => void;
  children: ComponentChildren;
}

interface State {
  error?: unknown;
}

export class Boundary extends Component<Props, State> {
  state: State = {};

  componentDidCatch(error: unknown): void {
    this.setState({ error });
  }

  componentDidUpdate({ of }: Props): void {
    const isOther = of.some((value, i) => value !== this.props.of[i]);
    if (isOther && this.state.error !== undefined) this.setState({ error: undefined });
  }

  render({ onBack, children }: Props, { error }: State) {
    if (error === undefined) return <>{children}</>;
    if (!onBack) return null;
    return (
      <div class="wrong" role="alert">
        <p>
          {say("failed.part")} {String(error)}
        </p>
        <Button text="failed.back" onClick={onBack} />
      </div>
    );
  }
}
