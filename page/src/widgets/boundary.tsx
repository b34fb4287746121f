/** Keeps a fault in one part of the page from removing the others. */

import { Component, type ComponentChildren, type JSX } from "preact";
import { say } from "../core/language";

interface Props {
  /** The part is shown again when one of these changes. */
  of: unknown[];
  /** The way out; without one, a part that fails shows nothing. */
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

  render({ onBack, children }: Props, { error }: State): JSX.Element | null {
    if (error === undefined) return <>{children}</>;
    if (!onBack) return null;
    return (
      <div class="wrong" role="alert">
        <p>
          {say("failed.part")} {String(error)}
        </p>
        <button type="button" class="plain" onClick={onBack}>
          {say("failed.back")}
        </button>
      </div>
    );
  }
}
