/**
 * One delivery, most wanted first: what is the matter in words, what can be done, the attempts one after the other, and
 * the bodies that they carry.
 */
import clsx from "clsx";
import { Columns2 } from "lucide-react";
import { Suspense, useId, useState } from "react";
import { useLive } from "../../live.ts";
import { useAnswer } from "../../query.ts";
import type { DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import type { DestinationOwner } from "../../../src/dashboard/contract/destinations.ts";
import { ownerPage } from "../../../src/domain/event.ts";
import { useAnnounced } from "../../ui/announcer.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { Badge, DeliveryStatusChip, toStatusWord } from "../../ui/chips.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TextLink } from "../../ui/links.tsx";
import { nameOf, ownerName } from "../deliveries/delivery-columns.tsx";
import { targetInWords } from "../target-words.ts";
import { shortened } from "../../words.ts";
import { eventLabel, sourceHref, keyTitle } from "../event-words.ts";
import { Fact, Facts, IdFact } from "../facts.tsx";
import { DeliveryActions } from "./delivery-actions.tsx";
import { explainDelivery } from "./explain-delivery.ts";
import { Evidence } from "./evidence.tsx";
import { Payload } from "../json/json-tree.tsx";
import { personHref } from "../person-href.ts";
import { listBodies } from "./sent-bodies.ts";
import { Timeline } from "./timeline.tsx";
import { onDemand } from "../../later.ts";

interface Props {
  readonly id: string;
}

export function DeliveryView({ id }: Props) {
  const query = useAnswer("GET /deliveries/:id", { params: { id } });
  const { data, refetch } = query;
  // Pausing a destination changes what the explanation says, and no frame about the delivery itself comes.
  useLive("destinations", ({ ids }) => {
    const destinationId = data?.destination?.id;
    if (destinationId !== undefined && ids.includes(destinationId)) void refetch();
  });
  return (
    <Loaded what="this delivery" query={query}>
      {(detail) => <Detail detail={detail} />}
    </Loaded>
  );
}

function Detail({ detail }: { readonly detail: DeliveryDetail }) {
  const nowMs = useNow();
  useAnnounced(`${headingOf(detail)}: ${toStatusWord(detail.status)}`);
  const last = detail.attempts.at(-1);
  // What failed before it arrived stands in its attempts.
  const evidence = detail.status === "delivered" ? null : detail.evidence;
  const { incidentId } = detail;
  const lastAdvice = detail.status === "delivered" ? "" : (last?.outcome.advice ?? "");
  return (
    <div className="min-w-0 space-y-6">
      <header className="space-y-3">
        <div className="space-y-1">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <h2 className="min-w-0 text-lg font-semibold [overflow-wrap:anywhere]">{headingOf(detail)}</h2>
            <DeliveryStatusChip status={detail.status} />
            {detail.isTest && <Badge>Test</Badge>}
          </div>
          <p className="text-sm text-ink-soft">{eventLabel(detail.eventType)}</p>
        </div>
        <div className="max-w-prose">
          <p className="font-medium">{explainDelivery(detail, nowMs)}</p>
          {evidence !== null && <Evidence evidence={evidence} deliveryId={detail.id} incidentId={incidentId} />}
          {lastAdvice !== "" && <p className="mt-1 text-ink-soft">{lastAdvice}</p>}
        </div>
        <DeliveryActions detail={detail} />
      </header>
      <Known detail={detail} />
      <section aria-labelledby="attempts-heading" className="space-y-3">
        <h3 id="attempts-heading" className="font-semibold">
          What happened
        </h3>
        <Timeline detail={detail} />
        {detail.attempts.length > 1 && <Comparison detail={detail} />}
      </section>
      <Bodies detail={detail} />
    </div>
  );
}

/** What was sent and the event beside each other, where there is room. */
function Bodies({ detail }: { readonly detail: DeliveryDetail }) {
  const id = useId();
  return (
    <div className="@container min-w-0">
      <div className={clsx("grid gap-6", detail.sentBodies.length > 0 && "@3xl:grid-cols-2")}>
        {listBodies(detail).map(({ heading, label, text, note }, place) => (
          <section key={heading} aria-labelledby={`${id}-${place}`} className="min-w-0 space-y-3">
            <h3 id={`${id}-${place}`} className="font-semibold">
              {heading}
            </h3>
            {note !== "" && <p className="text-ink-soft">{note}</p>}
            {(note === "" || text !== null) && <Payload body={text} {...(detail.sentBodies.length > 0 && { label })} />}
          </section>
        ))}
      </div>
    </div>
  );
}

/** "Jane Doe · Pricing demo", as its row has it. */
function headingOf(detail: DeliveryDetail): string {
  const { what } = detail.about;
  return what === null ? nameOf(detail) : `${nameOf(detail)} · ${shortened(what, HEADING_CHARS_MAX)}`;
}

/** A conversation's summary is a sentence or two, and the whole of it stands in the body. Guess: two lines. */
const HEADING_CHARS_MAX = 90;

/** Fetched when somebody asks for it: most deliveries have one attempt. */
const AttemptComparison = onDemand(() => import("./attempt-comparison.tsx"), "AttemptComparison");

function Comparison({ detail }: { readonly detail: DeliveryDetail }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="space-y-3">
      <Button size="sm" icon={<Columns2 />} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Compare two attempts
      </Button>
      {isOpen && (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <AttemptComparison detail={detail} />
        </Suspense>
      )}
    </div>
  );
}

/** Who, where to and the ids that other systems know it by. */
function Known({ detail }: { readonly detail: DeliveryDetail }) {
  const { id, destination, eventType, eventId, sourceId, isTest, webhookId } = detail;
  const href = ownerHref(destination?.owner);
  // A webhook of another owner tells nothing of the assistant.
  const assistantId = destination?.owner.kind === "assistant" ? destination.owner.id : undefined;
  return (
    <Facts>
      <Fact name="Destination">
        {href === null ? ownerName(detail) : <TextLink href={href}>{ownerName(detail)}</TextLink>}
        {destination !== null && <span className="block text-sm text-ink-soft">{targetInWords(destination.url)}</span>}
      </Fact>
      {sourceId !== null && (
        <Fact name={keyTitle(eventType).replace(/ id$/, "")}>
          <TextLink href={sourceHref(eventType, sourceId, assistantId)}>{sourceId}</TextLink>
        </Fact>
      )}
      {detail.email !== null && (
        <Fact name="Person">
          <TextLink href={personHref(detail.email)}>{detail.email}</TextLink>
        </Fact>
      )}
      <IdFact name="Delivery" id={id} />
      {isTest && (
        <Fact name="Told as a test by">
          webhook-id <code>{webhookId}</code>, header <code>bellwire-test: 1</code>
        </Fact>
      )}
      <IdFact name="Event" id={eventId} />
    </Facts>
  );
}

/** The page of its settings; `null` when they are deleted. */
function ownerHref(owner: DestinationOwner | undefined): string | null {
  return owner === undefined || owner.isDeleted ? null : ownerPage(owner);
}
