/** On a webhook's own page: what failed last with its bodies, its deliveries by type, and who did what with it. */
import { Suspense } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type { FailureView, TypeCount, WebhookReport } from "../../../src/dashboard/contract/webhook-page.ts";
import { useOwnersOnly } from "../../query.ts";
import { DeliveryStatusChip } from "../../ui/chips.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Fold } from "../../ui/fold.tsx";
import { TextLink } from "../../ui/links.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { minute, number } from "../../words.ts";
import { onDemand } from "../../later.ts";
import { Acts } from "../account/activity.tsx";
import { eventLabel, titleOf } from "../event-words.ts";
import { Sparkline } from "../health/health-label.tsx";
import { failuresHref, resendHref } from "../health/health-words.ts";

/** Few are opened. */
const FailedBody = onDemand(() => import("./failed-body.tsx"), "FailedBody");

interface FailuresProps {
  readonly destination: DestinationView;
  readonly failures: readonly FailureView[];
}

export function FailuresCard({ destination: { id }, failures }: FailuresProps) {
  const isOwner = useOwnersOnly("send deliveries again") === undefined;
  const again = resendHref(
    id,
    failures.map(({ row }) => row.status),
  );
  return (
    <Card
      title="Last failures"
      actions={
        failures.length > 0 && (
          <LinkButton size="sm" href={isOwner ? again : failuresHref(id)}>
            {isOwner ? "Send again…" : "View failures"}
          </LinkButton>
        )
      }
      isFlush
    >
      {failures.length === 0 ? (
        <p className="px-5 pb-4 text-ink-soft">Nothing has failed that did not arrive later.</p>
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          {failures.map((failure) => (
            <Failure key={failure.row.id} failure={failure} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Failure({ failure: { row, sentence, evidence } }: { readonly failure: FailureView }) {
  const { id, eventType: type, sourceId, about, status, createdAtMs } = row;
  return (
    <li className="space-y-1 px-5 py-3 [overflow-wrap:anywhere]">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <TextLink href={`/deliveries/${encodeURIComponent(id)}`} className="font-medium">
          <bdi>{titleOf({ type, sourceId, about })}</bdi>
        </TextLink>
        <DeliveryStatusChip status={status} />
        <span className="text-sm text-ink-soft">
          {eventLabel(type)} · <RelativeTime atMs={evidence?.atMs ?? createdAtMs} />
        </span>
      </p>
      <p>{sentence}</p>
      {evidence !== null && (
        <code className="block text-sm">{evidence.line === "" ? evidence.status : evidence.line}</code>
      )}
      <div className="-mx-3">
        <Fold summary="Its body" isForced={false}>
          <Suspense fallback={<Skeleton className="h-24" />}>
            <FailedBody deliveryId={id} />
          </Suspense>
        </Fold>
      </div>
    </li>
  );
}

interface TypesProps {
  readonly report: WebhookReport;
  readonly destinationId: string;
}

export function TypesCard({ report: { types, typesFromMs, areTypesWhole }, destinationId }: TypesProps) {
  if (types.length === 0) return null;
  return (
    <Card
      title="By event type"
      description={areTypesWhole ? "Of the range above." : `Its newest, back to ${minute(typesFromMs)}.`}
      isFlush
    >
      <DataTable
        caption="Deliveries by event type"
        columns={TYPE_COLUMNS}
        rows={types}
        toKey={({ type }) => type}
        toHref={({ type: event }) =>
          `/deliveries?${new URLSearchParams({ destination: destinationId, event, from: String(typesFromMs) })}`
        }
        isSlim
      />
    </Card>
  );
}

const TYPE_COLUMNS: readonly Column<TypeCount>[] = [
  { id: "type", header: "Event", isMain: true, cell: ({ type }) => eventLabel(type) },
  { id: "delivered", header: "Delivered", align: "end", cell: ({ delivered }) => number(delivered) },
  { id: "failed", header: "Failed", align: "end", cell: ({ failed }) => number(failed) },
  { id: "waiting", header: "Waiting", align: "end", cell: ({ waiting }) => number(waiting) },
  {
    id: "bars",
    header: "Over time",
    inCard: "never",
    cell: ({ bars, delivered, failed, waiting }) => (
      <Sparkline hours={bars} words={`${number(delivered)} of ${number(delivered + failed + waiting)} delivered`} />
    ),
  },
];

interface ActsCardProps {
  readonly report: WebhookReport;
  readonly name: string;
}

/** By name: the audit knows acts by what people call things. */
export function ActsCard({ report: { acts, actsSinceMs }, name }: ActsCardProps) {
  const back = actsSinceMs === null ? "" : ` back to ${minute(actsSinceMs)}`;
  return (
    <Card
      title="Who did what"
      description={`With what is called “${name}”,${back === "" ? "" : `${back},`} newest first.`}
      isFlush
    >
      {acts.length === 0 ? (
        <p className="px-5 pb-4 text-ink-soft">Nobody has done anything with it.</p>
      ) : (
        <Acts entries={acts} />
      )}
    </Card>
  );
}
