/** One channel: whether it takes messages, its last answer, a test of it now, and the way out of the list. */
import { useQueryClient } from "@tanstack/react-query";
import { Check, CircleDashed, Trash2, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { NewsChannel, NewsChannelTest } from "../../../src/dashboard/contract/news-channels.ts";
import { useChange } from "../../query.ts";
import { useOwnersOnly } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FieldError } from "../../ui/field.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StatusChip } from "../../ui/status-chip.tsx";
import { CHANNEL_WORDS } from "./channel-words.ts";

interface Props {
  readonly channel: NewsChannel;
}

const LOOKS = {
  untried: { word: "Not tried yet", tone: "neutral", icon: CircleDashed },
  taking: { word: "Takes messages", tone: "ok", icon: Check },
  refusing: { word: "Takes nothing", tone: "bad", icon: TriangleAlert },
} as const;

export function NewsChannelRow({ channel }: Props) {
  const { id, kind, name, origin, answer } = channel;
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const test = useChange("POST /news-channels/:id/test", "GET /audit");
  const remove = useChange("DELETE /news-channels/:id", "GET /audit");
  const disabledReason = useOwnersOnly("change who is told about failures");
  const keep = (list: unknown): void => void client.setQueryData(["GET /news-channels", undefined], list);
  const look = answer === null ? "untried" : answer.isTaken ? "taking" : "refusing";
  return (
    <li className="space-y-3 py-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
            <Badge>{CHANNEL_WORDS[kind]}</Badge>
            <StatusChip {...LOOKS[look]} />
          </p>
          <p className="text-sm [overflow-wrap:anywhere] text-ink-soft">
            <span aria-hidden="true">{origin}/••••••••</span>
            <span className="sr-only">{origin}, the rest of its address is hidden</span>
          </p>
          <p className="text-sm text-ink-soft">{toFact(channel)}</p>
          <FieldError id={`${id}-error`} message={test.error?.message} />
        </div>
        <div className="flex flex-wrap gap-1">
          <Button
            size="sm"
            isBusy={test.isPending}
            disabledReason={disabledReason}
            aria-label={`Test ${name}`}
            onClick={() => test.mutate({ params: { id } }, { onSuccess: ({ list }) => keep(list) })}
          >
            Test
          </Button>
          <Button
            size="sm"
            tone="quiet"
            icon={<Trash2 />}
            disabledReason={disabledReason}
            aria-label={`Remove ${name}`}
            onClick={() => setRemoving(true)}
          >
            Remove
          </Button>
        </div>
      </div>
      <div role="status">{!test.isPending && test.data !== undefined && <Tested test={test.data} />}</div>
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${name}?`}
        action="Remove channel"
        isDestructive
        onConfirm={async () => keep(await remove.mutateAsync({ params: { id } }))}
      >
        It is told nothing more. To add it again you need its whole address, which is not shown here.
      </ConfirmDialog>
    </li>
  );
}

function toFact({ answer, refusedSinceMs }: NewsChannel): ReactNode {
  if (answer === null) return "Nothing was sent to it yet. Test it, so that you know that it works.";
  if (refusedSinceMs === null) {
    return (
      <>
        Took a message <RelativeTime atMs={answer.atMs} />
      </>
    );
  }
  if (refusedSinceMs === answer.atMs) {
    return (
      <>
        Refused a message <RelativeTime atMs={answer.atMs} />: {answer.words}
      </>
    );
  }
  return (
    <>
      Has taken nothing since <RelativeTime atMs={refusedSinceMs} />. Last answer: {answer.words},{" "}
      <RelativeTime atMs={answer.atMs} />
    </>
  );
}

function Tested({ test: { isTaken, status, sentence, advice, answer, totalMs } }: { readonly test: NewsChannelTest }) {
  return (
    <Banner tone={isTaken ? "ok" : "bad"} title={`${status} · ${sentence} · ${Math.round(totalMs)} ms`}>
      {answer !== "" && (
        <p>
          It says: <code>{answer}</code>
        </p>
      )}
      {advice !== "" && <p>{advice}</p>}
    </Banner>
  );
}
