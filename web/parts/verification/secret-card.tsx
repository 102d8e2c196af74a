/** The Webhook Verification Secret, and the previous one while it is being rotated. */
import { useQueryClient } from "@tanstack/react-query";
import { Eye, EyeOff } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { RevealBody, SecretView, VerificationAnswer } from "../../../src/dashboard/contract/verification.ts";
import { call } from "../../api.ts";
import { refresh, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RotateDialog, RotationBanner } from "./rotation.tsx";

export function SecretCard({ verification }: { readonly verification: VerificationAnswer }) {
  const { current, previous, lastRevealed, overlapMsMax } = verification;
  const ownersOnly = useOwnersOnly("rotate the secret");
  const [isAsked, setAsked] = useState(false);
  return (
    <Card title="Webhook Verification Secret" description="It signs every webhook.">
      <div className="space-y-4">
        {previous !== null && <RotationBanner kind="secret" stopsAtMs={previous.stopsAtMs} />}
        <div className="space-y-1.5">
          {previous !== null && <h3 className="font-medium">Current secret</h3>}
          <SecretValue label="Current secret" which="current" view={current}>
            <Button tone="danger-plain" disabledReason={ownersOnly} onClick={() => setAsked(true)}>
              Rotate…
            </Button>
          </SecretValue>
        </div>
        {previous !== null && (
          <div className="space-y-1.5">
            <h3 className="font-medium">Previous secret</h3>
            <SecretValue label="Previous secret" which="previous" view={previous} />
          </div>
        )}
        <p className="text-sm text-ink-soft">
          Made <RelativeTime atMs={current.createdAtMs} />.{" "}
          {lastRevealed === null ? (
            "It has not been revealed yet."
          ) : (
            <>
              Last revealed by {lastRevealed.by}, <RelativeTime atMs={lastRevealed.atMs} />.
            </>
          )}
        </p>
        {ownersOnly !== undefined && <p className="text-sm text-ink-soft">Only owners can see or rotate the secret.</p>}
      </div>
      {isAsked && (
        <RotateDialog
          kind="secret"
          isRotating={previous !== null}
          overlapMsMax={overlapMsMax}
          onClose={() => setAsked(false)}
        />
      )}
    </Card>
  );
}

/* One secret: dots, **Reveal** for half a minute, **Copy** without showing it. */

interface Props {
  readonly label: string;
  readonly which: RevealBody["which"];
  readonly view: SecretView;
  /** Behind Copy, such as Rotate. */
  readonly children?: ReactNode;
}

function SecretValue({ label, which, view, children }: Props) {
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
        <CopyButton tone="plain" size="md" text={secret ?? fetch} disabledReason={ownersOnly} />
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

/*
 * A secret on the page for as long as somebody looks at it: it is fetched when asked for, and gone after 30 s, when the
 * tab is hidden, and when the secret it was is not the current one any more. Each reveal is in the account's activity.
 */

const SHOWN_FOR_MS = 30_000;

interface Reveal {
  /** `null` while it is hidden. */
  readonly secret: string | null;
  readonly isBusy: boolean;
  readonly refusal: string | null;
  readonly show: () => Promise<void>;
  readonly hide: () => void;
  /** Without showing it. */
  readonly fetch: () => Promise<string>;
}

function useReveal(which: RevealBody["which"], { createdAtMs }: SecretView): Reveal {
  const client = useQueryClient();
  const [shown, setShown] = useState<{ readonly secret: string; readonly createdAtMs: number } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  useEffect(() => {
    if (shown === null) return;
    const hide = (): void => setShown(null);
    const onHidden = (): void => {
      if (document.hidden) hide();
    };
    const timer = setTimeout(hide, SHOWN_FOR_MS);
    document.addEventListener("visibilitychange", onHidden);
    window.addEventListener("blur", hide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onHidden);
      window.removeEventListener("blur", hide);
    };
  }, [shown]);

  const fetch = async (): Promise<string> => {
    setRefusal(null);
    try {
      const { secret } = await call("POST /verification/reveal", { body: { which } });
      void refresh(client, ["GET /verification", "GET /audit"]);
      return secret;
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  const show = async (): Promise<void> => {
    setBusy(true);
    try {
      setShown({ secret: await fetch(), createdAtMs });
    } catch {
      // The refusal is on the page.
    } finally {
      setBusy(false);
    }
  };
  const secret = shown?.createdAtMs === createdAtMs ? shown.secret : null;
  return { secret, isBusy, refusal, show, hide: () => setShown(null), fetch };
}
