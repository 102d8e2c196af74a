/** One address for e-mail about failures: how it stands with its reader's word, and what an owner can do about it. */
import { useQueryClient } from "@tanstack/react-query";
import { Check, Clock, OctagonX, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { FailureMailAddress } from "../../../src/dashboard/contract/failure-mail.ts";
import { useChange } from "../../query.ts";
import { useOwnersOnly } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FieldError } from "../../ui/field.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StatusChip } from "../../ui/status-chip.tsx";

interface Props {
  readonly address: FailureMailAddress;
  /** The operator has set up e-mail. */
  readonly isSetUp: boolean;
}

const LOOKS = {
  waiting: { word: "Waiting", tone: "warn", icon: Clock },
  confirmed: { word: "Confirmed", tone: "ok", icon: Check },
  stopped: { word: "Stopped", tone: "neutral", icon: OctagonX },
} as const;

export function FailureMailRow({ address: row, isSetUp }: Props) {
  const { id, address, state } = row;
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const ask = useChange("POST /failure-mail/:id/letter", "GET /audit");
  const remove = useChange("DELETE /failure-mail/:id", "GET /audit");
  const disabledReason = useOwnersOnly("change who is told about failures");
  const keep = (saved: unknown): void => void client.setQueryData(["GET /failure-mail", undefined], saved);
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{address}</span>
          <StatusChip {...LOOKS[state]} />
        </p>
        <p className="text-sm text-ink-soft">{toFact(row, isSetUp)}</p>
        <FieldError id={`${id}-error`} message={ask.error?.message} />
        <span role="status" className="text-sm text-ink-soft">
          {ask.isSuccess && state === "waiting" && "Asked again."}
        </span>
      </div>
      <div className="flex flex-wrap gap-1">
        {state === "waiting" && (
          <Button
            size="sm"
            isBusy={ask.isPending}
            disabledReason={disabledReason}
            aria-label={`Send again to ${address}`}
            onClick={() => ask.mutate({ params: { id } }, { onSuccess: keep })}
          >
            Send again
          </Button>
        )}
        <Button
          size="sm"
          tone="quiet"
          icon={<Trash2 />}
          disabledReason={disabledReason}
          aria-label={`Remove ${address}`}
          onClick={() => setRemoving(true)}
        >
          Remove
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${address}?`}
        action="Remove address"
        isDestructive
        onConfirm={async () => keep(await remove.mutateAsync({ params: { id } }))}
      >
        No more letters go to it. If it is added again, its reader has to confirm again.
      </ConfirmDialog>
    </li>
  );
}

function toFact({ state, sinceMs, letter }: FailureMailAddress, isSetUp: boolean): ReactNode {
  if (state === "confirmed") {
    return (
      <>
        Gets letters since <RelativeTime atMs={sinceMs} />
      </>
    );
  }
  if (state === "stopped") {
    return (
      <>
        Its reader stopped letters <RelativeTime atMs={sinceMs} />, and can start them again by the link in any of them.
      </>
    );
  }
  switch (letter.state) {
    case "sent":
      return (
        <>
          Letter sent <RelativeTime atMs={letter.atMs} />. Its link works for three days.
        </>
      );
    case "waiting":
      return isSetUp ? "The letter is on its way." : "The letter waits for e-mail to be set up.";
    case "no_mailbox":
      return "The mail server has no mailbox of this name. Check the spelling.";
    case "dropped":
      return "The letter could not be sent for a day. Send it again.";
  }
}
