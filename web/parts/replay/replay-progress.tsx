/** Replays that were made: how far one has come, what it takes, its state, and the latest of them. */
import { Ban, Check, CirclePause, Hourglass, ListRestart, Play, RotateCw, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswer, useAnswerWhen, useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { StatusChip } from "../../ui/chips.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState, Loaded } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { count, duration, number } from "../../words.ts";
import { computeProgress, remainingMs, replaySentence, statesInWords } from "./replay-draft.ts";
import { PageLink } from "../../ui/links.tsx";

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
      <div className={deliveries === 0 ? "hidden" : "space-y-4"}>
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
  const ownersOnly = useOwnersOnly("pause or stop this");
  const { state, moved, deliveries, skipped } = replay;
  if (state !== "running" && state !== "paused") return null;
  const cancel = async (): Promise<void> => {
    if (!(await set("cancelled"))) throw new Error("It could not be stopped. Try again.");
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
        Stop sending
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Stop sending?"
        action="Stop sending"
        isDestructive
        onConfirm={cancel}
      >
        {count(moved, "delivery", "deliveries")} already queued stay queued.{" "}
        {count(deliveries - moved - skipped, "delivery", "deliveries")} stay as they are. It can’t be taken up again.
      </ConfirmDialog>
    </>
  );
}

/* The replays of the last time, each with the way to its page. */

interface RecentReplaysProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function RecentReplays({ isOpen, onClose }: RecentReplaysProps) {
  const query = useAnswerWhen("GET /replays", isOpen ? {} : null);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Sent again lately" isWide>
      <Loaded what="what was sent again" query={query}>
        {({ replays }) =>
          replays.length === 0 ? (
            <EmptyState icon={ListRestart} title="Nothing was sent in bulk yet">
              Many deliveries can be sent again at a rate that your endpoint can take: choose Send again above the log.
            </EmptyState>
          ) : (
            <ul className="divide-y divide-line">
              {replays.map((replay) => (
                <Row key={replay.id} replay={replay} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}

function Row({ replay }: { readonly replay: ReplayView }) {
  const { id, filter, destination, deliveries, by, createdAtMs } = replay;
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md px-2 py-2.5 hover:bg-hover/60">
      <div className="min-w-0 flex-1 basis-56">
        <PageLink
          href={`/replays/${id}`}
          className="rounded-sm font-medium text-ink after:absolute after:inset-0 hover:text-accent"
        >
          {count(deliveries, "delivery", "deliveries")} to {destination?.name ?? "every destination"}
        </PageLink>
        <p className="text-sm">
          {statesInWords(filter.states)}, prepared by {by}. {replaySentence(replay)}
        </p>
      </div>
      <ReplayStateChip replay={replay} />
      <span className="relative z-1 text-sm">
        <RelativeTime atMs={createdAtMs} />
      </span>
    </li>
  );
}

/* A replay's state as icon and word. */

export function ReplayStateChip({ replay: { state, isPrepared, deliveries } }: { readonly replay: ReplayView }) {
  if (deliveries === 0) return <StatusChip word="Nothing to send" tone="neutral" icon={Ban} />;
  if (isPrepared && state === "paused") return <StatusChip word="Not confirmed" tone="warn" icon={Hourglass} />;
  switch (state) {
    case "running":
      return <StatusChip word="Running" tone="info" icon={RotateCw} />;
    case "paused":
      return <StatusChip word="Paused" tone="neutral" icon={CirclePause} />;
    case "cancelled":
      return <StatusChip word="Cancelled" tone="neutral" icon={Ban} />;
    case "finished":
      return <StatusChip word="Finished" tone="ok" icon={Check} />;
  }
}

/* One replay, as it moves, and what can be decided about it. */

/** The live stream tells of progress; this is for when it is gone, and for the rows that it does not name. A guess. */
const POLL_MS = 3_000;

export function useReplay(id: string) {
  const query = useAnswer("GET /replays/:id", { params: { id } });
  const change = useChange("PUT /replays/:id/state", "GET /replays/:id", "GET /replays", "GET /deliveries");
  const { data, refetch } = query;
  const isRunning = data?.state === "running";
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void refetch(), POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning, refetch]);
  /** A refusal is in `error`. */
  const set = async (state: Exclude<ReplayView["state"], "finished">): Promise<boolean> => {
    try {
      await change.mutateAsync({ params: { id }, body: { state } });
      return true;
    } catch {
      return false;
    }
  };
  return { query, set, isBusy: change.isPending, error: change.error };
}
