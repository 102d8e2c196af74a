/** How far a replay is, and the buttons that hold it, let it go on or end it. */
import { CirclePause, Play, X } from "lucide-react";
import { useState } from "react";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import { useOwnersOnly } from "../../session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { count, duration, number } from "../../words.ts";
import { computeProgress, remainingMs, replaySentence } from "./replay-draft.ts";
import type { useReplay } from "./use-replay.ts";

interface Props {
  readonly replay: ReplayView;
  readonly set: ReturnType<typeof useReplay>["set"];
  readonly isBusy: boolean;
  readonly error: Error | null;
}

export function ReplayProgress({ replay, set, isBusy, error }: Props) {
  const { state, deliveries, moved, skipped, ratePerSecond } = replay;
  const share = computeProgress(replay);
  return (
    <Card
      title="Progress"
      description={replaySentence(replay)}
      actions={<Decisions replay={replay} set={set} isBusy={isBusy} />}
    >
      <div className="space-y-4">
        {error !== null && <Banner tone="bad" role="alert" title={error.message} />}
        <div
          role="progressbar"
          aria-label="Queued to be sent again"
          aria-valuemin={0}
          aria-valuemax={deliveries}
          aria-valuenow={moved + skipped}
          className="forced-colors:border"
        >
          <svg aria-hidden="true" className="block h-2.5 w-full overflow-hidden rounded-full bg-hover">
            <rect
              width={`${share * 100}%`}
              height="100%"
              className={state === "cancelled" ? "fill-ink-faint" : "fill-ok-mark"}
            />
          </svg>
        </div>
        <dl className="flex flex-wrap gap-x-10 gap-y-3">
          <Figure name="Queued again" value={`${number(moved)} of ${number(deliveries)}`} />
          <Figure name="Skipped" value={number(skipped)} note="Deleted, purged or sent again meanwhile" />
          <Figure name="Rate" value={`${number(ratePerSecond)} a second`} />
          {state === "running" && (
            <Figure name="Time left" value={`about ${duration(Math.max(1_000, remainingMs(replay)))}`} />
          )}
        </dl>
        <p className="max-w-prose text-sm text-ink-soft">
          Queued means on its way like any other delivery: it waits its turn, and is retried when it fails. The log
          shows what became of each.
        </p>
      </div>
    </Card>
  );
}

function Figure({ name, value, note }: { readonly name: string; readonly value: string; readonly note?: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-ink-soft">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">{value}</dd>
      {note !== undefined && <dd className="text-xs text-ink-soft">{note}</dd>}
    </div>
  );
}

function Decisions({ replay, set, isBusy }: Omit<Props, "error">) {
  const [isAsking, setAsking] = useState(false);
  const ownersOnly = useOwnersOnly("hold or cancel replays");
  const { state, moved, deliveries, skipped } = replay;
  if (state !== "running" && state !== "paused") return null;
  const cancel = async (): Promise<void> => {
    if (!(await set("cancelled"))) throw new Error("It could not be cancelled. Try again.");
  };
  return (
    <>
      {state === "running" ? (
        <Button icon={<CirclePause />} isBusy={isBusy} disabledReason={ownersOnly} onClick={() => void set("paused")}>
          Pause
        </Button>
      ) : (
        <Button
          icon={<Play />}
          tone="primary"
          isBusy={isBusy}
          disabledReason={ownersOnly}
          onClick={() => void set("running")}
        >
          Go on
        </Button>
      )}
      <Button tone="danger-plain" icon={<X />} disabledReason={ownersOnly} onClick={() => setAsking(true)}>
        Cancel replay
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Cancel this replay?"
        action="Cancel replay"
        isDestructive
        onConfirm={cancel}
      >
        {count(moved, "delivery", "deliveries")} already queued stay queued.{" "}
        {count(deliveries - moved - skipped, "delivery", "deliveries")} stay as they are. It can’t be taken up again.
      </ConfirmDialog>
    </>
  );
}
