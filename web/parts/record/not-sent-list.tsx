/** The webhooks that an event did not go to when it was accepted, each with the reason. */
import { CircleMinus } from "lucide-react";
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import type { DestinationOwner } from "../../../src/dashboard/contract/destinations.ts";
import { ownerPage } from "../../../src/domain/event.ts";
import { TextLink } from "../../ui/links.tsx";
import { count } from "../../words.ts";
import { useOwnerMarks } from "../tell-apart.ts";

/** By webhook, with its page and the reason. */
export function NotSentList({ notSent: { webhooks, more } }: { readonly notSent: NotSentView }) {
  if (webhooks.length === 0) return null;
  return (
    <ul aria-label="Not sent" className="space-y-2 border-t border-line p-4 text-sm">
      {webhooks.map(({ destination, why }, place) => (
        <li key={destination?.id ?? place} className="flex items-start gap-2">
          <CircleMinus aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ink-soft" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            Not sent to {destination === null ? "a deleted webhook" : <Owner owner={destination.owner} />}: {why}.
          </span>
        </li>
      ))}
      {more > 0 && <li className="text-ink-soft">Not sent to {count(more, "more webhook")} either.</li>}
    </ul>
  );
}

function Owner({ owner }: { readonly owner: DestinationOwner }) {
  const marks = useOwnerMarks();
  if (owner.isDeleted) return <>{owner.name} (deleted)</>;
  return (
    <>
      <TextLink href={ownerPage(owner)}>{owner.name}</TextLink>
      {marks.get(`${owner.kind} ${owner.id}`)}
    </>
  );
}
