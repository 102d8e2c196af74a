/** The webhooks that a session or conversation did not go to when it was accepted, each with the reason. */
import { CircleMinus } from "lucide-react";
import type { NotSentView } from "../../../src/dashboard/contract/conditions.ts";
import type { DestinationOwner } from "../../../src/dashboard/contract/destinations.ts";
import { TextLink } from "../../ui/text-link.tsx";
import { count } from "../../words.ts";

export function NotSent({ notSent: { webhooks, more } }: { readonly notSent: NotSentView }) {
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

function Owner({ owner: { kind, id, name, isDeleted } }: { readonly owner: DestinationOwner }) {
  if (isDeleted) return <>{name} (deleted)</>;
  const href = kind === "alert" ? `/settings/alerts/${id}` : `/assistants/${encodeURIComponent(id)}/integrations`;
  return <TextLink href={href}>{name}</TextLink>;
}
