/** Something could not be loaded: what, why, and the button that tries again; or it is not there, and the way back. */
import { CloudOff, SearchX } from "lucide-react";
import { type ReactNode, use } from "react";
import { ApiProblem, isAway, NetworkLoss } from "../api.ts";
import { Button, LinkButton } from "./button.tsx";
import { PageBack } from "./page-frame.ts";

interface Props {
  /** Completes "We couldn't load …". */
  readonly what: string;
  readonly error: Error;
  readonly onRetry: () => unknown;
}

export function ErrorState({ what, error, onRetry }: Props) {
  // Asking again brings the same answer.
  if (error instanceof ApiProblem && error.status === 404) return <NotThere what={what} error={error} />;
  const title = isAway(error) ? "Your account’s data can’t be reached right now" : `We couldn’t load ${what}`;
  return (
    <Told icon={<CloudOff />} ground="bg-bad-soft text-bad" title={title} reason={reason(error)}>
      <Button onClick={() => void onRetry()}>Try again</Button>
    </Told>
  );
}

function NotThere({ what, error }: Pick<Props, "what" | "error">) {
  const back = use(PageBack);
  return (
    <Told icon={<SearchX />} ground="bg-hover text-ink-soft" title={`We couldn’t find ${what}`} reason={error.message}>
      {back !== undefined && <LinkButton href={back.href}>Back to {back.label}</LinkButton>}
    </Told>
  );
}

interface ToldProps {
  readonly icon: ReactNode;
  readonly ground: string;
  readonly title: string;
  readonly reason: string;
  readonly children: ReactNode;
}

function Told({ icon, ground, title, reason: why, children }: ToldProps) {
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span
        aria-hidden="true"
        className={`mb-4 flex size-11 items-center justify-center rounded-full [&_svg]:size-5 ${ground}`}
      >
        {icon}
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      <p className="mt-1 mb-5 max-w-md text-balance text-ink-soft">{why}</p>
      {children}
    </div>
  );
}

/** Deliveries go on without the page: somebody who sees it fail should know that. */
function reason(error: Error): string {
  return error instanceof NetworkLoss ? `${error.message} Webhooks are delivered without this page.` : error.message;
}
