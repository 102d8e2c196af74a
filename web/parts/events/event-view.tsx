/**
 * A session or a conversation: what is known of it, what was sent for it, and the payload that receivers got. For its
 * own page, which `analytics_url` of a payload leads to.
 */
import { SendHorizontal } from "lucide-react";
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { Payload } from "../delivery/payload.tsx";
import { MEDIUM_COLUMNS, TABLET, deliveryColumns } from "../deliveries/delivery-columns.tsx";
import { useMedia } from "../use-media.ts";
import { Fact, Facts, IdFact } from "../facts.tsx";
import { sourceWord } from "../event-words.ts";

export function EventView({ detail }: { readonly detail: EventDetail }) {
  const what = sourceWord(detail.type);
  const isTablet = useMedia(TABLET);
  return (
    <>
      <Card title="Deliveries" isFlush>
        {detail.rows.length === 0 ? (
          <EmptyState icon={SendHorizontal} title="Nothing was sent">
            {what === "session"
              ? "No alert with a webhook was meant for this session when it was accepted."
              : "The assistant had no webhook when this conversation was accepted."}
          </EmptyState>
        ) : (
          <DataTable
            caption={`Deliveries of this ${what}`}
            columns={isTablet ? MEDIUM_COLUMNS : COLUMNS}
            rows={detail.rows}
            toKey={({ id }) => id}
            toHref={({ id }) => `/deliveries/${id}`}
          />
        )}
      </Card>
      <Card title="Known about it">
        <Known detail={detail} />
      </Card>
      <Card title="Payload" description="The exact body that every webhook for it carries.">
        <Payload body={detail.body} label="Body" />
      </Card>
    </>
  );
}

/** This is no list that could be filtered. */
const COLUMNS = deliveryColumns(() => "");

function Known({ detail }: { readonly detail: EventDetail }) {
  const { type, sourceId, eventId, acceptedAtMs, about, intentLevel, assistant } = detail;
  return (
    <Facts>
      <Fact name="Accepted">
        <RelativeTime atMs={acceptedAtMs} />
      </Fact>
      {assistant !== null && (
        <Fact name="Assistant">
          <TextLink href={`/assistants/${encodeURIComponent(assistant.id)}`}>{assistant.name}</TextLink>
        </Fact>
      )}
      {about.who !== null && <Fact name="Visitor">{about.who}</Fact>}
      {intentLevel !== "" && <Fact name="Intent">{intentLevel}</Fact>}
      <IdFact name={sourceWord(type) === "session" ? "Session" : "Conversation"} id={sourceId} />
      <IdFact name="Event" id={eventId} />
    </Facts>
  );
}
