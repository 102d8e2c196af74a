/** The two dialogs in which a person pauses a webhook or turns it on again. They are fetched when they are opened. */
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { isReachable } from "../../embed.ts";
import { call } from "../../api.ts";
import { useAnswerWhen, useChange } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { RadioCards } from "../../ui/controls.tsx";
import { toast } from "../../ui/toasts.ts";
import { OUTDATED_BY_STATE, underWayWords, waitingWords } from "./health-words.ts";

interface Props {
  readonly destination: DestinationView;
  readonly onClose: () => void;
}

type Backlog = "send" | "cancel";

export function TurnOnDialog({ destination, onClose }: Props) {
  const { id, owner } = destination;
  // What waits for a paused webhook grows without a frame of the live stream: the page's own number may be old.
  const { data: now = destination } = useAnswerWhen("GET /destinations/:id", { params: { id } }, { isFresh: true });
  const { health } = now;
  const cancel = useRef<HTMLButtonElement>(null);
  const [backlog, setBacklog] = useState<Backlog>("send");
  const [, navigate] = useLocation();
  const tellDone = async (): Promise<void> => {
    onClose();
    const query = { destination: id, status: "failed,cancelled" };
    // It is on whatever this answers: without an answer nothing is offered.
    const missed = await call("GET /deliveries/total", { query }).catch(() => null);
    const replay = `/deliveries?destination=${encodeURIComponent(id)}&status=failed,cancelled&replay=1`;
    const offer = { label: "Send again what failed…", onSelect: () => navigate(replay) };
    toast({
      title: `${owner.name} is turned on`,
      ...((missed?.count ?? 0) > 0
        ? {
            description: "What failed or was cancelled is not sent again by itself.",
            ...(isReachable(replay) && { action: offer }),
          }
        : health.waiting.count > 0 && { description: underWayWords(health) }),
    });
  };
  const { turnOn, testFirst, isBusy, result, error } = useTurningOn(id, backlog, () => void tellDone());
  return (
    <Dialog
      isOpen
      title={`Turn on the webhook of “${owner.name}”?`}
      onClose={onClose}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} onClick={onClose}>
            Cancel
          </Button>
          <Button isBusy={isBusy} onClick={turnOn}>
            Turn on without a test
          </Button>
          <Button tone="primary" isBusy={isBusy} onClick={testFirst}>
            Send test and turn on
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <p className="text-ink-soft">The test is a sample event. It turns on only if your endpoint accepts it.</p>
        {health.waiting.count > 0 && (
          <RadioCards
            legend={`${waitingWords(health)}. What should happen to them?`}
            options={BACKLOG}
            value={backlog}
            onChange={setBacklog}
          />
        )}
        <div role="status">{result !== null && <TestRefused answer={result} />}</div>
        {error !== null && <Banner tone="bad" role="alert" title={error.message} />}
      </div>
    </Dialog>
  );
}

const BACKLOG = [
  { value: "send", label: "Send them", help: "Oldest first, slowly at the start." },
  { value: "cancel", label: "Cancel them", help: "They stay in the log and can be sent again from there." },
] as const;

function TestRefused({ answer: { outcome } }: { readonly answer: TestAnswer }) {
  return (
    <Banner tone="bad" title={`${outcome.status}. ${outcome.sentence}`}>
      It stays off. {outcome.advice}
    </Banner>
  );
}

function useTurningOn(id: string, backlog: Backlog, onDone: () => void) {
  const test = useChange("POST /destinations/:id/test");
  const change = useChange("PUT /destinations/:id/state", ...OUTDATED_BY_STATE);
  // Not as the call's own `onSuccess`: the banner around this dialog may be gone by then, and with it its listener.
  const turnOn = (): void =>
    void change.mutateAsync({ params: { id }, body: { state: "on", backlog } }).then(onDone, () => undefined);
  const testFirst = (): void =>
    test.mutate({ params: { id } }, { onSuccess: ({ outcome }) => outcome.class === "success" && turnOn() });
  const refused = test.data !== undefined && test.data.outcome.class !== "success" ? test.data : null;
  return {
    turnOn,
    testFirst,
    isBusy: test.isPending || change.isPending,
    result: refused,
    error: test.error ?? change.error,
  };
}

/* Asks before a destination is paused: what waits stays, and for how long. */

interface PauseDialogProps {
  readonly destination: DestinationView;
  readonly onClose: () => void;
}

export function PauseDialog({ destination: { id, owner }, onClose }: PauseDialogProps) {
  const change = useChange("PUT /destinations/:id/state", ...OUTDATED_BY_STATE);
  return (
    <ConfirmDialog
      isOpen
      title={`Pause the webhook of “${owner.name}”?`}
      action="Pause webhook"
      onClose={onClose}
      onConfirm={() => change.mutateAsync({ params: { id }, body: { state: "paused" } })}
    >
      Nothing is sent to it until somebody turns it on again. New webhooks wait for up to 14 days.
    </ConfirmDialog>
  );
}
