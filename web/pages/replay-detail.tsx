/** /replays/:id: one replay from its exact count over its confirmation to its end. It goes on without this page. */
import { useParams } from "wouter";
import type { ReplayView } from "../../src/dashboard/contract/deliveries.ts";
import { personHref } from "../parts/person-href.ts";
import { ConfirmReplay, ScopeList } from "../parts/replay/replay-dialog.tsx";
import { scopeLines } from "../parts/replay/replay-draft.ts";
import { ReplayProgress, ReplayStateChip, useReplay } from "../parts/replay/replay-progress.tsx";
import { Card } from "../ui/card.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";

export function ReplayDetailPage() {
  const { id } = useParams<{ id: string }>();
  const { query, set, isBusy, error } = useReplay(id);
  const replay = query.data;
  const isAsking = replay?.isPrepared === true && replay.state === "paused";
  return (
    <Page
      title="Send again"
      section="Deliveries"
      back={{ href: "/deliveries", label: "Deliveries" }}
      isNarrow
      aside={replay !== undefined && <ReplayStateChip replay={replay} />}
      actions={
        replay !== undefined && !isAsking && <LinkButton href={toLogHref(replay)}>View its deliveries</LinkButton>
      }
    >
      <Loaded what="its progress" query={query}>
        {(data) => (
          <div className="space-y-5">
            {isAsking ? (
              <ConfirmReplay replay={data} set={set} isBusy={isBusy} error={error} />
            ) : (
              <ReplayProgress replay={data} set={set} isBusy={isBusy} error={error} />
            )}
            <Card title="Scope">
              <ScopeList lines={scopeLines(data.filter, data.destination?.name ?? null)} />
              <p className="mt-3 text-sm text-ink-soft">
                Prepared by {data.by} <RelativeTime atMs={data.createdAtMs} />.
              </p>
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/**
 * The log of its deliveries, in any state; a person's are on their page. Deliveries accepted after the replay was made
 * are not part of it.
 */
function toLogHref({ filter, createdAtMs }: ReplayView): string {
  const { destinationId, type, q, email, createdFromMs, createdToMs = createdAtMs } = filter;
  if (email !== undefined) return personHref(email);
  const search = new URLSearchParams();
  if (destinationId !== undefined) search.set("destination", destinationId);
  if (type !== undefined) search.set("event", type);
  if (q !== undefined) search.set("q", q);
  if (createdFromMs !== undefined) search.set("from", String(createdFromMs));
  search.set("to", String(Math.min(createdToMs, createdAtMs)));
  return `/deliveries?${search.toString()}`;
}
