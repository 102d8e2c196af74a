/** Catches what breaks in a page, so that the rail stays usable, and says what can be done. */
import { Component, type ReactNode, useEffect, useState } from "react";
import { findDocument } from "../api.ts";
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
  const isMissing = /dynamically imported module|importing a module script|preload CSS/i.test(String(error));
  if (isMissing) return <MissingPart />;
  return (
    <Told title="This page has broken" action="Reload" onAction={() => location.reload()}>
      That is our fault: {String(error)}. Webhooks are delivered without this page.
    </Told>
  );
}

/**
 * A part of the page that did not come. The service itself says why: it does not answer, it serves another version by
 * now, or it was away for a moment.
 */
function MissingPart() {
  const [why, setWhy] = useState<"asking" | "lost" | "updated" | "back">("asking");
  useEffect(() => {
    void findDocument().then((html) => setWhy(html === null ? "lost" : isOfThisVersion(html) ? "back" : "updated"));
    window.addEventListener("online", reloadOnceBack);
    return () => window.removeEventListener("online", reloadOnceBack);
  }, []);
  switch (why) {
    case "asking":
      return null;
    case "lost":
      return (
        <Told title="The connection was lost" action="Try again" onAction={reloadWhenBack}>
          This page could not be loaded. Webhooks are delivered without it.
        </Told>
      );
    case "updated":
      return (
        <Told title="A new version is ready" action="Reload" onAction={() => location.reload()}>
          The service was updated while this page was open.
        </Told>
      );
    case "back":
      return (
        <Told title="This page could not be loaded" action="Try again" onAction={() => location.reload()}>
          The connection was lost for a moment, and is back.
        </Told>
      );
  }
}

/** Not before the service answers: the browser's own page for no connection has no way back. */
function reloadWhenBack(): void {
  void findDocument().then((html) => html !== null && location.reload());
}

/** The browser may say that it is online before a call gets through. */
function reloadOnceBack(): void {
  void findDocument().then((html) => {
    if (html !== null) location.reload();
    else if (navigator.onLine) window.setTimeout(reloadOnceBack, ONLINE_RETRY_MS);
  });
}

const ONLINE_RETRY_MS = 1_000;

/** The document names the scripts of its version by their content. */
function isOfThisVersion(html: string): boolean {
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]");
  return html.includes(script?.src.split("/").at(-1) ?? "");
}

interface ToldProps {
  readonly title: string;
  readonly action: string;
  readonly onAction: () => void;
  readonly children: ReactNode;
}

function Told({ title, action, onAction, children }: ToldProps) {
  return (
    <div role="alert" className="mx-auto max-w-lg px-6 py-16 text-center">
      <h1 className="text-xl font-semibold">{title}</h1>
      <p className="mt-1 text-ink-soft">{children}</p>
      <Button tone="primary" className="mt-5" onClick={onAction}>
        {action}
      </Button>
    </div>
  );
}
