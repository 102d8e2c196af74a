/** The key pair for receivers that should hold no secret: off until an owner wants it, then its public half. */
import { useState } from "react";
import type { PublicKeyView, VerificationAnswer } from "../../../src/dashboard/contract/verification.ts";
import { useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { toast } from "../../ui/toasts.ts";
import { RotateDialog, RotationBanner } from "./rotation.tsx";

type Props = Pick<VerificationAnswer, "signingKey" | "overlapMsMax">;

export function PublicKeyCard({ signingKey, overlapMsMax }: Props) {
  const ownersOnly = useOwnersOnly("change what signs webhooks");
  const [asked, setAsked] = useState<"rotate" | "off" | null>(null);
  const change = useChange("POST /verification/signing-key", "GET /verification", "GET /audit");
  const close = (): void => setAsked(null);
  return (
    <Card title="Public key" description="Ed25519 (v1a), for receivers that should hold no secret.">
      {signingKey === null ? (
        <Button
          isBusy={change.isPending}
          disabledReason={ownersOnly}
          onClick={() => change.mutate({ body: { isOn: true } })}
        >
          Sign with a public key too
        </Button>
      ) : (
        <div className="space-y-4">
          {signingKey.previous !== null && <RotationBanner kind="key" stopsAtMs={signingKey.previous.stopsAtMs} />}
          <PublicKey label="Current key" view={signingKey.current} />
          {signingKey.previous !== null && <PublicKey label="Previous key" view={signingKey.previous} />}
          <div className="flex flex-wrap gap-2">
            <Button tone="danger-plain" disabledReason={ownersOnly} onClick={() => setAsked("rotate")}>
              Rotate…
            </Button>
            <Button tone="danger-plain" disabledReason={ownersOnly} onClick={() => setAsked("off")}>
              Turn off…
            </Button>
          </div>
        </div>
      )}
      {change.error !== null && <Banner tone="bad" role="alert" title={change.error.message} />}
      {asked === "rotate" && (
        <RotateDialog
          kind="key"
          isRotating={signingKey !== null && signingKey.previous !== null}
          overlapMsMax={overlapMsMax}
          onClose={close}
        />
      )}
      <ConfirmDialog
        isOpen={asked === "off"}
        onClose={close}
        title="Turn off the public key?"
        action="Turn off"
        isDestructive
        onConfirm={async () => {
          await change.mutateAsync({ body: { isOn: false } });
          toast("Webhooks are signed with the secret only");
        }}
      >
        Receivers that check with the public key reject webhooks from now on. The secret still signs. If you turn it on
        again, the key is another one.
      </ConfirmDialog>
    </Card>
  );
}

function PublicKey({ label, view }: { readonly label: string; readonly view: PublicKeyView }) {
  return (
    <div role="group" aria-label={label} className="space-y-1.5">
      <h3 className="font-medium">{label}</h3>
      <div className="flex flex-wrap items-center gap-2">
        <code
          className="flex min-h-9 min-w-0 flex-1 basis-72 items-center rounded-md border border-line bg-sunken px-3
            py-1.5 [overflow-wrap:anywhere]"
        >
          {view.publicKey}
        </code>
        <CopyButton tone="plain" size="md" text={view.publicKey} />
        <CopyButton tone="plain" size="md" label="Copy as PEM" text={view.pem} />
      </div>
    </div>
  );
}
