/** "What would it do with an event?": decisions in words, for the newest events or for those that are looked for. */
import { CircleCheck, CircleMinus } from "lucide-react";
import { useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type { Decision } from "../../../src/dashboard/contract/webhook-page.ts";
import type { OwnerKind } from "../../../src/domain/event.ts";
import { useAnswer } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { Input } from "../../ui/field.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useSettled } from "../../ui/use-settled.ts";
import { eventLabel, sourceHref, titleOf } from "../event-words.ts";
import { canSearch } from "../search/can-search.ts";

export function DecisionsCard({ destination: { id, owner } }: { readonly destination: DestinationView }) {
  const [text, setText] = useState("");
  const settled = useSettled(text.trim());
  const query = settled !== "" && canSearch(settled) ? { q: settled } : {};
  const answer = useAnswer("GET /destinations/:id/decisions", { params: { id }, query });
  return (
    <Card
      title="What would it do with an event?"
      description="By its settings of now. The newest events are below; any other is found by an id, a name or words."
      actions={
        <LinkButton size="sm" href={`${LISTS[owner.kind](owner.id)}?not_sent=1&webhook=${encodeURIComponent(id)}`}>
          What it did not get
        </LinkButton>
      }
    >
      <Input
        type="search"
        aria-label="Find an event"
        placeholder="An id, a name, an e-mail or any words"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        spellCheck={false}
        className="mb-3 sm:max-w-md"
      />
      <Loaded what="what it would do" query={answer}>
        {({ decisions }) =>
          decisions.length === 0 ? (
            <p role="status" className="text-ink-soft">
              {query.q === undefined ? "There are no events yet." : "No event has these words, or this id."}
            </p>
          ) : (
            <ul aria-label="Decisions" className="space-y-2">
              {decisions.map((decision) => (
                <DecisionItem key={`${decision.type} ${decision.sourceId}`} decision={decision} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

/** With the events that its kind may be sent: in any other list nearly everything is what it did not get. */
const LISTS: Readonly<Record<OwnerKind, (ownerId: string) => string>> = {
  alert: () => "/audience/sessions",
  assistant: (ownerId) => `/assistants/${encodeURIComponent(ownerId)}`,
  webhook: () => "/audience/events",
};

function DecisionItem({ decision }: { readonly decision: Decision }) {
  const { type, sourceId, assistantId, acceptedAtMs, fires, why } = decision;
  const Icon = fires ? CircleCheck : CircleMinus;
  const words = fires ? "Would be sent" : "Would not be sent";
  return (
    <li className="flex items-start gap-2">
      <Icon aria-hidden="true" className={fires ? "mt-0.5 size-4 shrink-0 text-ok" : MINUS} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <TextLink href={sourceHref(type, sourceId, assistantId ?? undefined)}>
          <bdi>{titleOf(decision)}</bdi>
        </TextLink>{" "}
        · {eventLabel(type)} · <RelativeTime atMs={acceptedAtMs} />
        <span className="block text-ink-soft">{why === "" ? `${words}.` : `${words}: ${why}.`}</span>
      </span>
    </li>
  );
}

const MINUS = "mt-0.5 size-4 shrink-0 text-ink-soft";
