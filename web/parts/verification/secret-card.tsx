/** The Webhook Verification Secret, and its successor while it is being rotated. */
import { useQueryClient } from "@tanstack/react-query";
import { Eye, EyeOff } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { RevealBody, SecretView, VerificationAnswer } from "../../../src/dashboard/contract/verification.ts";
import { call } from "../../api.ts";
import { refresh, useChange, useOwnersOnly, useSession } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { RadioCards } from "../../ui/field.tsx";
import { RelativeTime, useNow } from "../../ui/relative-time.tsx";
import { toast } from "../../ui/toasts.ts";
import { date, duration, timeOfDay } from "../../words.ts";

export function SecretCard({ verification }: { readonly verification: VerificationAnswer }) {
  const { current, next, lastRevealed } = verification;
  const { signatureHeader } = useSession();
  const ownersOnly = useOwnersOnly("rotate the secret");
  const [isRotating, setRotating] = useState(false);
  return (
    <Card
      title="Webhook Verification Secret"
      description={`It signs every webhook. Check ${signatureHeader} with it to be sure that a request came from us.`}
    >
      <div className="space-y-4">
        {next !== null && <Rotation next={next} />}
        <div className="space-y-1.5">
          {next !== null && <h3 className="font-medium">Current secret</h3>}
          <SecretValue label="Current secret" which="current" view={current} copyLabel="Copy">
            <Button tone="danger-plain" disabledReason={ownersOnly} onClick={() => setRotating(true)}>
              Rotate…
            </Button>
          </SecretValue>
        </div>
        {next !== null && (
          <div className="space-y-1.5">
            <h3 className="font-medium">New secret</h3>
            <SecretValue label="New secret" which="next" view={next} copyLabel="Copy new secret" />
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
      {isRotating && <RotateDialog isRotating={next !== null} onClose={() => setRotating(false)} />}
    </Card>
  );
}

interface RotationProps {
  readonly next: NonNullable<VerificationAnswer["next"]>;
}

/** How long the old one still works, and how not to wait for it. */
function Rotation({ next: { becomesCurrentAtMs } }: RotationProps) {
  const left = Math.max(0, becomesCurrentAtMs - useNow());
  const { signatureHeader } = useSession();
  const ownersOnly = useOwnersOnly("switch to the new secret");
  const [isAsked, setAsked] = useState(false);
  const change = useChange("POST /verification/switch", "GET /verification", "GET /audit");
  return (
    <>
      <Banner
        tone="warn"
        title={
          <>
            Two secrets are active. The old one stops working {date(becomesCurrentAtMs)},{" "}
            {timeOfDay(becomesCurrentAtMs)} (in {duration(left)}).
          </>
        }
        actions={
          <Button size="sm" disabledReason={ownersOnly} onClick={() => setAsked(true)}>
            Switch now
          </Button>
        }
      >
        webhook-signature carries both. {signatureHeader} is made with the current one until then.
      </Banner>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Switch to the new secret now?"
        action="Switch now"
        isDestructive
        onConfirm={async () => {
          await change.mutateAsync({});
          toast("The new secret is in use");
        }}
      >
        The old secret stops working at once. Receivers that do not have the new one reject webhooks until they do.
      </ConfirmDialog>
    </>
  );
}

/* One secret: dots, **Reveal** for half a minute, **Copy** without showing it. */

interface Props {
  readonly label: string;
  readonly which: RevealBody["which"];
  readonly view: SecretView;
  readonly copyLabel: string;
  /** Behind Copy, such as Rotate. */
  readonly children?: ReactNode;
}

function SecretValue({ label, which, view, copyLabel, children }: Props) {
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

/* Making a new secret: with a day in which both are used, or at once because the old one leaked. */

type Mode = "overlap" | "now";

interface RotateDialogProps {
  readonly onClose: () => void;
  /** A rotation is under way: then a leak is the only reason for another. */
  readonly isRotating: boolean;
}

function RotateDialog({ onClose, isRotating }: RotateDialogProps) {
  const { signatureHeader } = useSession();
  const cancel = useRef<HTMLButtonElement>(null);
  const [mode, setMode] = useState<Mode>(isRotating ? "now" : "overlap");
  const rotate = useChange("POST /verification/rotate", "GET /verification", "GET /audit");
  const confirm = (): void =>
    rotate.mutate(
      { body: { mode } },
      {
        onSuccess() {
          toast(mode === "now" ? "Secret replaced" : "Rotation started");
          onClose();
        },
      },
    );
  return (
    <Dialog
      isOpen
      isFirm
      role="alertdialog"
      title="Rotate the secret?"
      onClose={onClose}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} onClick={onClose}>
            Cancel
          </Button>
          <Button tone={mode === "now" ? "danger" : "primary"} isBusy={rotate.isPending} onClick={confirm}>
            {mode === "now" ? "Replace the secret at once" : "Rotate over 24 hours"}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {isRotating ? (
          <p>The secret is being rotated already. If it leaked, a third one replaces both at once: {AT_ONCE}</p>
        ) : (
          <>
            <p>A new secret is made now. Your receivers need it before the old one stops working.</p>
            <RadioCards<Mode>
              legend="How soon does the old one stop working?"
              value={mode}
              onChange={setMode}
              options={[
                {
                  value: "overlap",
                  label: "In 24 hours",
                  help: `Until then webhook-signature carries both; ${signatureHeader} is still made with the old one.`,
                },
                { value: "now", label: "It leaked: at once", help: `Then ${AT_ONCE}` },
              ]}
            />
          </>
        )}
        {rotate.error !== null && <Banner tone="bad" role="alert" title={rotate.error.message} />}
      </div>
    </Dialog>
  );
}

const AT_ONCE = "receivers reject webhooks until they have the new one. Rejected webhooks are tried again for days.";

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
