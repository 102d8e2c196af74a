/** One secret: dots, **Reveal** for half a minute, **Copy** without showing it. */
import { Eye, EyeOff } from "lucide-react";
import type { ReactNode } from "react";
import type { RevealBody, SecretView } from "../../../src/dashboard/contract/verification.ts";
import { useOwnersOnly } from "../../session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useReveal } from "./use-reveal.ts";

interface Props {
  readonly label: string;
  readonly which: RevealBody["which"];
  readonly view: SecretView;
  readonly copyLabel: string;
  /** Behind Copy, such as Rotate. */
  readonly children?: ReactNode;
}

export function SecretValue({ label, which, view, copyLabel, children }: Props) {
  const { secret, isBusy, refusal, show, hide, fetch } = useReveal(which, view);
  const ownersOnly = useOwnersOnly("see the secret");
  return (
    <div role="group" aria-label={label} className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        <code
          className="flex min-h-9 min-w-0 flex-1 basis-72 items-center rounded-md border border-line bg-sunken px-3
            py-1.5"
        >
          <span className="sr-only">{secret === null ? `${label}, hidden` : `${label}: `}</span>
          {secret === null ? (
            <span aria-hidden="true" className="truncate tracking-wider">
              {DOTS}
            </span>
          ) : (
            <span className="[overflow-wrap:anywhere]">{secret}</span>
          )}
        </code>
        <Button
          icon={secret === null ? <Eye /> : <EyeOff />}
          isBusy={isBusy}
          disabledReason={ownersOnly}
          onClick={() => (secret === null ? void show() : hide())}
        >
          {secret === null ? "Reveal" : "Hide"}
        </Button>
        <CopyButton tone="plain" size="md" label={copyLabel} text={secret ?? fetch} disabledReason={ownersOnly} />
        {children}
      </div>
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {secret !== null && "Shown for 30 seconds, or until you leave this tab."}
      </p>
      {refusal !== null && <Banner tone="bad" role="alert" title={refusal} />}
    </div>
  );
}

const DOTS = `whsec_${"•".repeat(24)}`;
