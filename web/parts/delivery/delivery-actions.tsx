/** The actions on a delivery: send it again, take it away as a command, check its signature. */
import { BadgeCheck, MoreHorizontal, RotateCw, Terminal } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { toCurl } from "../../curl.ts";
import { isReachable } from "../../embed.ts";
import { useChange, useOwnersOnly } from "../../query.ts";
import { toast } from "../../ui/toasts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { CurlDialog } from "./attempt-details.tsx";
import { findSentRequest, notCopyable } from "./attempts.ts";

interface Props {
  readonly detail: DeliveryDetail;
}

export function DeliveryActions({ detail }: Props) {
  const [, navigate] = useLocation();
  const [isCurlOpen, setCurlOpen] = useState(false);
  const request = findSentRequest(detail);
  const why = notCopyable(detail) ?? undefined;
  return (
    <div className="flex flex-wrap gap-2">
      <ResendButton detail={detail} />
      <CopyButton
        label="Copy as cURL"
        tone="plain"
        size="md"
        disabledReason={why}
        text={request === null ? "" : toCurl(request)}
      />
      <Menu
        label="More actions"
        icon={<MoreHorizontal />}
        items={[
          {
            label: "cURL for another address…",
            icon: <Terminal />,
            disabledReason: why,
            onSelect: () => setCurlOpen(true),
          },
          ...(isReachable("/settings/verification")
            ? [
                {
                  label: "Check this signature",
                  icon: <BadgeCheck />,
                  disabledReason: why,
                  onSelect: () => navigate(`/settings/verification?delivery=${encodeURIComponent(detail.id)}`),
                },
              ]
            : []),
        ]}
      />
      {request !== null && <CurlDialog isOpen={isCurlOpen} onClose={() => setCurlOpen(false)} request={request} />}
    </div>
  );
}

function ResendButton({ detail }: Props) {
  const { id, status, notResendable, destinationNow, attempts, sentBodies } = detail;
  const ownersOnly = useOwnersOnly("send deliveries again");
  const waits = status === "waiting" || status === "retrying";
  const [isAsking, setAsking] = useState(false);
  // What a press has promised is taken away by the attempt that shows it.
  const said = useRef<{ readonly attempts: number; readonly end: () => void } | null>(null);
  useEffect(() => {
    if (said.current === null || attempts.length <= said.current.attempts) return;
    said.current.end();
    said.current = null;
  });
  const change = useChange(
    "POST /deliveries/:id/resend",
    "GET /deliveries/:id",
    "GET /deliveries",
    "GET /destinations",
  );
  const resend = async (): Promise<void> => {
    await change.mutateAsync({ params: { id } });
    const owner = destinationNow?.owner.name;
    const title = waits ? "On its way" : "Queued to be sent again";
    const isOn = waits || destinationNow?.state === "on";
    said.current = {
      attempts: attempts.length,
      end: toast(isOn ? title : { title, description: `It goes out when ${owner} is turned on again.` }),
    };
  };
  const press = (): void => {
    if (status === "delivered") setAsking(true);
    // The refusal is shown below the buttons.
    else resend().catch(() => undefined);
  };
  return (
    <>
      <Button
        tone={status === "failed" || status === "retrying" ? "primary" : "plain"}
        icon={<RotateCw />}
        isBusy={change.isPending && !isAsking}
        disabledReason={ownersOnly ?? notResendable ?? undefined}
        onClick={press}
      >
        {waits ? "Send now" : "Send again"}
      </Button>
      {notResendable !== null && <p className="order-last basis-full text-sm text-ink-soft">{notResendable}</p>}
      {change.error !== null && !isAsking && (
        <Banner tone="bad" role="alert" title={change.error.message} className="order-last basis-full" />
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Send again?"
        action="Send again"
        onConfirm={resend}
      >
        Your endpoint already accepted this delivery. It gets the same webhook-id again, so it can tell that it is a
        duplicate. {sentBodies.length === 0 ? "The body is the same, too." : "The body is made anew of the same event."}
      </ConfirmDialog>
    </>
  );
}
