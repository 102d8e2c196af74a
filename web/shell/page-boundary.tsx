/**
 * Catches what breaks in a page, so that the rail stays usable. A chunk that cannot be fetched is nearly always one of
 * an older version: the service was updated while the page was open.
 */
import { Component, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";

interface Props {
  /** Another place mends it: a page that broke must not stay broken when the reader goes elsewhere. */
  readonly place?: string;
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
  readonly place: string | undefined;
}

export class PageBoundary extends Component<Props, State> {
  override state: State = { error: null, place: this.props.place };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { error: null, place };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : <Broken error={error} />;
  }
}

function Broken({ error }: { readonly error: unknown }) {
  const isOldChunk = /dynamically imported module|importing a module script/i.test(String(error));
  return (
    <div role="alert" className="mx-auto max-w-lg px-6 py-16 text-center">
      <h1 className="text-xl font-semibold">{isOldChunk ? "A new version is ready" : "This page has broken"}</h1>
      <p className="mt-1 text-ink-soft">
        {isOldChunk
          ? "The service was updated while this page was open, or the connection was lost."
          : `That is our fault: ${String(error)}. Webhooks are delivered without this page.`}
      </p>
      <Button tone="primary" className="mt-5" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  );
}
