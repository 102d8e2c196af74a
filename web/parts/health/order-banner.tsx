/**
 * What holds a webhook that gets one delivery at a time: since when, how many wait, and the button that skips it. Above
 * the webhook's form. While nothing holds it there is no banner.
 */
import { useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { count, number } from "../../words.ts";
import { moment, nextAttempt, OUTDATED_BY_STATE } from "./health-words.ts";

interface Props {
  readonly destination: DestinationView;
}

export function OrderBanner({ destination: { id, order, health } }: Props) {
  const nowMs = useNow();
  const ownersOnly = useOwnersOnly("skip a delivery");
  const skip = useChange("POST /destinations/:id/skip", ...OUTDATED_BY_STATE, "GET /deliveries", "GET /audit");
  const [asked, setAsked] = useState<string | null>(null);
  const head = order?.head ?? null;
  const behind = Math.max(0, health.waiting.count - 1);
  const others = health.waiting.isCapped
    ? `More than ${number(behind)} others wait`
    : `${count(behind, "other")} ${behind === 1 ? "waits" : "wait"}`;
  return (
    <>
      {head !== null && head.heldSinceMs !== null && (
        <Banner
          tone="warn"
          title={`One at a time: one delivery holds all others since ${moment(head.heldSinceMs, nowMs)}`}
          actions={
            <>
              <LinkButton size="sm" href={`/deliveries/${encodeURIComponent(head.deliveryId)}`}>
                View it
              </LinkButton>
              <Button size="sm" disabledReason={ownersOnly} onClick={() => setAsked(head.deliveryId)}>
                Skip this one…
              </Button>
            </>
          }
        >
          {`${count(head.attemptsMade, "attempt")} failed${
            head.isUnderWay ? ", one is under way" : nextAttempt(head.nextAttemptAtMs, nowMs)
          }. ${others} behind it.`}
        </Banner>
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title="Skip this delivery?"
        action="Skip delivery"
        onConfirm={() => skip.mutateAsync({ params: { id }, body: { deliveryId: asked ?? "" } })}
      >
        It is cancelled, and the next one goes out. You can send it again later: it goes behind all that wait then.
      </ConfirmDialog>
    </>
  );
}
