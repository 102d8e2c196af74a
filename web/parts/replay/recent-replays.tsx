/** The replays of the last time, each with the way to its page. */
import { ListRestart } from "lucide-react";
import { Link } from "wouter";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswerWhen } from "../../query.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { count } from "../../words.ts";
import { replaySentence, statesInWords } from "./replay-draft.ts";
import { ReplayStateChip } from "./replay-state-chip.tsx";

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function RecentReplays({ isOpen, onClose }: Props) {
  const query = useAnswerWhen("GET /replays", isOpen ? {} : null);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Recent replays" isWide>
      <Loaded what="replays" query={query}>
        {({ replays }) =>
          replays.length === 0 ? (
            <EmptyState icon={ListRestart} title="No replays yet">
              A replay sends many ended deliveries again, at a rate that your endpoint can take. Filter the log, then
              choose Replay.
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
        <Link
          href={`/replays/${id}`}
          className="rounded-sm font-medium text-ink after:absolute after:inset-0 hover:text-accent"
        >
          {count(deliveries, "delivery", "deliveries")} to {destination?.name ?? "every destination"}
        </Link>
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
