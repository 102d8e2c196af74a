/** The Webhook Verification Secret, and its successor while it is being rotated. */
import { useState } from "react";
import type { VerificationAnswer } from "../../../src/dashboard/contract/verification.ts";
import { useChange } from "../../query.ts";
import { useOwnersOnly, useSession } from "../../session.ts";
import { toast } from "../../toasts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { RelativeTime, useNow } from "../../ui/relative-time.tsx";
import { date, duration, timeOfDay } from "../../words.ts";
import { RotateDialog } from "./rotate-dialog.tsx";
import { SecretValue } from "./secret-value.tsx";

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
