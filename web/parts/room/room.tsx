/**
 * The room of a session or a conversation: the thing itself, its webhooks and its visitor beside it where there is
 * room, and the exact payload one tab away. `?view=payload` opens that.
 */
import { Eraser } from "lucide-react";
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { Payload } from "../delivery/payload.tsx";
import { sourceTitle, sourceWord } from "../event-words.ts";
import { NarrowCopyFact, NarrowFact, NarrowFacts } from "../facts.tsx";
import { EventWebhooks } from "./event-webhooks.tsx";
import { VisitorCard } from "./visitor-card.tsx";
import type { Visitor } from "./visitor.ts";

interface Props {
  readonly detail: EventDetail;
  /** `null` once the payload is purged. */
  readonly visitor: Visitor | null;
  readonly children: ReactNode;
}

export function Room({ detail, visitor, children }: Props) {
  return (
    // The webhooks come first where there is one column: a conversation may be long.
    <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr] lg:items-start">
      <div className="min-w-0 lg:col-start-2">
        <EventWebhooks detail={detail} />
      </div>
      <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
        {detail.body === null ? <Purged detail={detail} /> : <Views detail={detail}>{children}</Views>}
      </div>
      <div className="min-w-0 space-y-5 lg:col-start-2">
        {visitor !== null && <VisitorCard visitor={visitor} who={detail.about.who} />}
        <Ids detail={detail} />
      </div>
    </div>
  );
}

const VIEW = "view";

function Views({ detail, children }: Pick<Props, "detail" | "children">) {
  const [search, setSearch] = useSearchParams();
  const what = sourceWord(detail.type);
  return (
    <Card>
      <Tabs<"thing" | "payload">
        label={`This ${what}`}
        value={search.get(VIEW) === "payload" ? "payload" : "thing"}
        onChange={(view) => setSearch(view === "payload" ? { [VIEW]: view } : {}, { replace: true })}
        className="-mt-2"
        tabs={[
          { id: "thing", label: sourceTitle(detail.type), content: children },
          {
            id: "payload",
            label: "Payload",
            content: (
              <div className="space-y-3">
                <p className="text-ink-soft">The exact body that every webhook for it carries.</p>
                <Payload body={detail.body} label="Body" />
              </div>
            ),
          },
        ]}
      />
    </Card>
  );
}

function Purged({ detail: { type } }: Pick<Props, "detail">) {
  return (
    <Card>
      <EmptyState icon={Eraser} title="The payload was deleted">
        It has reached the end of its retention time. What became of this {sourceWord(type)}’s webhooks is kept.
      </EmptyState>
    </Card>
  );
}

function Ids({ detail: { type, sourceId, eventId, acceptedAtMs, assistant } }: Pick<Props, "detail">) {
  return (
    <Card title="Details">
      <NarrowFacts>
        <NarrowFact name="Accepted">
          <RelativeTime atMs={acceptedAtMs} />
        </NarrowFact>
        {assistant !== null && (
          <NarrowFact name="Assistant">
            <TextLink href={`/assistants/${encodeURIComponent(assistant.id)}`}>{assistant.name}</TextLink>
          </NarrowFact>
        )}
        <NarrowCopyFact name={`${sourceTitle(type)} id`} text={sourceId} />
        <NarrowCopyFact name="Event id" text={eventId} />
      </NarrowFacts>
    </Card>
  );
}
