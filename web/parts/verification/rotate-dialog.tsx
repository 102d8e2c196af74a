/** Making a new secret: with a day in which both are used, or at once because the old one leaked. */
import { useRef, useState } from "react";
import { useSession } from "../../session.ts";
import { toast } from "../../toasts.ts";
import { useChange } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { RadioCards } from "../../ui/radio-cards.tsx";

type Mode = "overlap" | "now";

interface Props {
  readonly onClose: () => void;
  /** A rotation is under way: then a leak is the only reason for another. */
  readonly isRotating: boolean;
}

export function RotateDialog({ onClose, isRotating }: Props) {
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
