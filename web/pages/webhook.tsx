/** Settings → Webhooks → one webhook: how it does, and what it would do. */
import type { WebhookDetail } from "../../src/dashboard/contract/webhooks.ts";
import { conditionsField, toConditionsDraft } from "../parts/conditions/draft.ts";
import { eventLabel } from "../parts/event-words.ts";
import { WEBHOOK } from "../parts/owner/owner-calls.ts";
import { OwnerPage } from "../parts/owner/owner-page.tsx";
import { idleWord, toState } from "../parts/wanted-events/webhook-state.ts";
import { showFields } from "../parts/webhook-page/settings-card.tsx";
import { listWebhookParts } from "../parts/webhook/webhook-parts.ts";
import { useSession } from "../query.ts";

export function WebhookPage() {
  const { eventTypes } = useSession();
  return (
    <OwnerPage
      calls={WEBHOOK}
      toFacts={(webhook) => [
        { label: "Sent for", words: wantedInWords(webhook) },
        ...showFields(listWebhookParts, toState(webhook, null)),
      ]}
      idleWord={(webhook) => idleWord(webhook, eventTypes)}
    />
  );
}

function wantedInWords({ events }: WebhookDetail): string {
  if (events === "all") return "All events, also of types that come later";
  return events
    .map(({ type, conditions }) =>
      conditions === null
        ? eventLabel(type)
        : `${eventLabel(type)} when ${conditionsField.show(toConditionsDraft(conditions))}`,
    )
    .join("; ");
}
