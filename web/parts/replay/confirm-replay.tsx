/** The exact number, and the last question before anything is sent. Above a thousand the number is typed. */
import { type FormEvent, useRef, useState } from "react";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswer } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { count, duration, number } from "../../words.ts";
import { useOwnersOnly } from "../../session.ts";
import { TYPED_ABOVE, isTypedCount, remainingMs } from "./replay-draft.ts";
import type { useReplay } from "./use-replay.ts";

interface Props {
  readonly replay: ReplayView;
  readonly set: ReturnType<typeof useReplay>["set"];
  readonly isBusy: boolean;
  readonly error: Error | null;
}

export function ConfirmReplay({ replay, set, isBusy, error }: Props) {
  const { deliveries, ratePerSecond, filter } = replay;
  const [typed, setTyped] = useState("");
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const ownersOnly = useOwnersOnly("replay deliveries");
  const takes = duration(Math.max(1_000, remainingMs(replay)));
  const mustType = deliveries > TYPED_ABOVE;
  const confirm = (event: FormEvent): void => {
    event.preventDefault();
    if (mustType && !isTypedCount(typed, deliveries)) {
      setMissing(true);
      input.current?.focus();
    } else void set("running");
  };
  return (
    <form onSubmit={confirm} noValidate>
      <Card
        title={`Send ${count(deliveries, "delivery", "deliveries")} again?`}
        description={`At ${number(ratePerSecond)} a second this takes about ${takes}.`}
        footer={
          <>
            <Button isBusy={isBusy} disabledReason={ownersOnly} onClick={() => void set("cancelled")}>
              Don’t send
            </Button>
            <Button type="submit" tone="primary" isBusy={isBusy} disabledReason={ownersOnly}>
              Replay {number(deliveries)}
            </Button>
          </>
        }
      >
        <div className="max-w-prose space-y-4">
          <p>
            The count is exact and frozen: later failures are not part of it. Each delivery keeps its body and its
            webhook-id, and is signed anew with the current secret.
          </p>
          <DestinationWarning destinationId={filter.destinationId} />
          {filter.states.includes("delivered") && (
            <Banner tone="warn" title="Some were accepted already">
              Your endpoint gets those a second time. The same webhook-id lets it tell.
            </Banner>
          )}
          {mustType && (
            <Field
              label={`Type ${number(deliveries)} to confirm`}
              error={
                isMissing && !isTypedCount(typed, deliveries) ? `Type the number ${number(deliveries)}.` : undefined
              }
              className="max-w-56"
            >
              {(control) => (
                <Input
                  {...control}
                  ref={input}
                  inputMode="numeric"
                  value={typed}
                  onChange={(event) => setTyped(event.target.value)}
                />
              )}
            </Field>
          )}
          {error !== null && <Banner tone="bad" role="alert" title={error.message} />}
        </div>
      </Card>
    </form>
  );
}

/** A thousand webhooks to an endpoint that is down only fail, but it may be up again in a moment. */
function DestinationWarning({ destinationId }: { readonly destinationId: string | undefined }) {
  const destinations = useAnswer("GET /destinations").data?.destinations ?? [];
  const troubled = destinations.filter(
    ({ id, health, owner }) =>
      (destinationId === undefined || id === destinationId) && !owner.isDeleted && health.word in NOT_READY,
  );
  return troubled.map(({ id, owner, health }) => (
    <Banner key={id} tone="warn" title={`${owner.name} is ${NOT_READY[health.word]?.is}`}>
      {NOT_READY[health.word]?.follows}
    </Banner>
  ));
}

const NOT_READY: Readonly<Record<string, { readonly is: string; readonly follows: string }>> = {
  failing: {
    is: "failing at the moment",
    follows: "Webhooks to it wait now, and may use up their attempts again.",
  },
  paused: { is: "paused", follows: "Webhooks to it wait until it is turned on again." },
  off: { is: "turned off", follows: "Webhooks to it wait until it is turned on again." },
};
