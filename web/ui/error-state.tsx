/** Something could not be loaded: what, why, and the button that tries again. */
import { CloudOff } from "lucide-react";
import { NetworkLoss } from "../api-problem.ts";
import { Button } from "./button.tsx";

interface Props {
  /** Completes "We couldn't load …". */
  readonly what: string;
  readonly error: Error;
  readonly onRetry: () => unknown;
}

export function ErrorState({ what, error, onRetry }: Props) {
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span
        aria-hidden="true"
        className="mb-4 flex size-11 items-center justify-center rounded-full bg-bad-soft text-bad [&_svg]:size-5"
      >
        <CloudOff />
      </span>
      <h2 className="text-lg font-semibold">We couldn’t load {what}</h2>
      <p className="mt-1 max-w-md text-balance text-ink-soft">{reason(error)}</p>
      <Button className="mt-5" onClick={() => void onRetry()}>
        Try again
      </Button>
    </div>
  );
}

/** Deliveries go on without the page: somebody who sees it fail should know that. */
function reason(error: Error): string {
  return error instanceof NetworkLoss ? `${error.message} Webhooks are delivered without this page.` : error.message;
}
