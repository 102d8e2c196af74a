/**
 * The page of one record, a session, a conversation or another event: the thing itself, its webhooks and its visitor
 * beside it where the window is wide enough, and the exact payload one tab away. `?view=payload` opens that.
 */
import { Eraser, MapPin, SendHorizontal, UserRound } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useSearchParams } from "wouter";
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import type { OwnerKind } from "../../../src/domain/event.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Summary } from "../../ui/fold.tsx";
import { TextLink } from "../../ui/links.tsx";
import { EmptyState } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { number } from "../../words.ts";
import { besideEventColumns } from "../deliveries/delivery-columns.tsx";
import { eventWords, keyTitle, sourceTitle, sourceWord } from "../event-words.ts";
import { NarrowCopyFact, NarrowFact, NarrowFacts } from "../facts.tsx";
import { Payload } from "../json/json-tree.tsx";
import { useMarks } from "../tell-apart.ts";
import { PersonLink } from "../person-link.tsx";
import { initialsOf, type NamedFact, type Visitor } from "./bodies.ts";
import { NotSentList } from "./not-sent-list.tsx";
import { sortWebhooks, webhooksInWords } from "./sort-webhooks.ts";

interface RecordPageProps {
  readonly detail: EventDetail;
  /** `null` once the payload is purged. */
  readonly visitor: Visitor | null;
  readonly children: ReactNode;
}

export function RecordPage({ detail, visitor, children }: RecordPageProps) {
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
        {detail.email !== null && <PersonLink email={detail.email} />}
        <Ids detail={detail} />
      </div>
    </div>
  );
}

const VIEW = "view";

function Views({ detail, children }: Pick<RecordPageProps, "detail" | "children">) {
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

function Purged({ detail: { type } }: Pick<RecordPageProps, "detail">) {
  return (
    <Card>
      <EmptyState icon={Eraser} title="The payload was deleted">
        It has reached the end of its retention time. What became of this {sourceWord(type)}’s webhooks is kept.
      </EmptyState>
    </Card>
  );
}

function Ids({ detail: { type, sourceId, eventId, acceptedAtMs, assistant } }: Pick<RecordPageProps, "detail">) {
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
        <NarrowCopyFact name={keyTitle(type)} text={sourceId} />
        <NarrowCopyFact name="Event id" text={eventId} />
      </NarrowFacts>
    </Card>
  );
}

/* The webhooks of one session or conversation: each delivery with its status and answer, a click from its page. */

function EventWebhooks({ detail: { type, rows, notSent } }: { readonly detail: EventDetail }) {
  const what = sourceWord(type);
  const marks = useMarks();
  const [isWhole, setWhole] = useState(false);
  const sorted = sortWebhooks(rows);
  const troubled = sorted.filter(({ status }) => status !== "delivered").length;
  const shown = isWhole ? sorted : sorted.slice(0, Math.max(SHOWN_MAX, troubled));
  return (
    <Card title="Webhooks" description={webhooksInWords(rows) ?? undefined} isFlush>
      {rows.length === 0 ? (
        <EmptyState icon={SendHorizontal} title="Nothing was sent">
          {notSent.webhooks.length > 0
            ? "The reason for each webhook stands below."
            : NOTHING_MEANT[eventWords(type).owners[0] ?? "webhook"](what)}
        </EmptyState>
      ) : (
        <DataTable
          caption={`Deliveries of this ${what}`}
          columns={besideEventColumns(marks)}
          rows={shown}
          toKey={({ id }) => id}
          toHref={({ id }) => `/deliveries/${id}`}
          isAlwaysTable
        />
      )}
      {shown.length < rows.length && (
        <p className="border-t border-line px-5 py-3">
          <Button size="sm" onClick={() => setWhole(true)}>
            Show {number(rows.length - shown.length)} more that were delivered
          </Button>
        </p>
      )}
      <NotSent notSent={notSent} isAlone={rows.length === 0} />
    </Card>
  );
}

/** More that were delivered are shown when somebody asks for them. */
const SHOWN_MAX = 12;

/** By who gets the type first. */
const NOTHING_MEANT: Readonly<Record<OwnerKind, (what: string) => string>> = {
  alert: (what) => `No alert with a webhook was meant for this ${what} when it was accepted.`,
  assistant: (what) => `The assistant had no webhook when this ${what} was accepted.`,
  webhook: (what) => `No webhook wanted this ${what} when it was accepted.`,
};

/* The webhooks that a session or conversation did not go to when it was accepted, each with the reason. */

/** More are folded: they would push the visitor off the screen. */
const NOT_SENT_OPEN_MAX = 3;

interface NotSentProps {
  readonly notSent: NotSentView;
  /** No webhook was sent at all. */
  readonly isAlone: boolean;
}

function NotSent({ notSent, isAlone }: NotSentProps) {
  const all = notSent.webhooks.length + notSent.more;
  if (all <= NOT_SENT_OPEN_MAX) return <NotSentList notSent={notSent} />;
  return (
    <details open={isAlone} className="group border-t border-line">
      <Summary className="px-4">
        Not sent to {number(all)} {isAlone ? "webhooks" : "others"}
      </Summary>
      <NotSentList notSent={notSent} />
    </details>
  );
}

/* The visitor beside what he or she did: lead, company and place, as far as the product knows them. */

interface Props {
  readonly visitor: Visitor;
  /** As lists name the visitor; `null` when nothing is known. */
  readonly who: string | null;
}

function VisitorCard({ visitor: { email, company, place, leadFacts }, who }: Props) {
  return (
    <Card title="Visitor">
      <div className="space-y-4">
        <div className="flex items-center gap-3">
          <span
            aria-hidden="true"
            className="flex size-10 shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold
              text-accent [&_svg]:size-5"
          >
            {who === null ? <UserRound /> : initialsOf(who)}
          </span>
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <p className="font-semibold">{who ?? "Unknown visitor"}</p>
            {company.name !== "" && company.name !== who && <p className="text-sm text-ink-soft">{company.name}</p>}
            {place !== "" && (
              <p className="text-sm text-ink-soft">
                <MapPin aria-hidden="true" className="mr-1 inline size-3.5 -translate-y-px" />
                {place}
              </p>
            )}
          </div>
        </div>
        <List facts={leadFacts} email={email === who ? "" : email} />
        {company.facts.length > 0 && (
          <div className="border-t border-line pt-4">
            <h3 className="mb-2 font-medium">Company</h3>
            <List facts={company.facts} email="" />
          </div>
        )}
      </div>
    </Card>
  );
}

function List({ facts, email }: { readonly facts: readonly NamedFact[]; readonly email: string }) {
  if (facts.length === 0 && email === "") return null;
  return (
    <NarrowFacts>
      {email !== "" && <NarrowCopyFact name="E-mail" text={email} />}
      {facts.map(([name, value]) => (
        <NarrowFact key={name} name={name}>
          {value}
        </NarrowFact>
      ))}
    </NarrowFacts>
  );
}
