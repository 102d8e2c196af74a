/** Settings → Webhooks: every webhook of its own with the events that it wants, where it sends and how that goes. */
import { Webhook } from "lucide-react";
import { eventLabel } from "../parts/event-words.ts";
import { WEBHOOK } from "../parts/owner/owner-calls.ts";
import { OwnerListPage } from "../parts/owner/owner-list.tsx";
import { eventsInWords } from "../parts/owner/owner-words.ts";
import { idleWord } from "../parts/wanted-events/webhook-state.ts";
import { useAnswer, useSession } from "../query.ts";

export function WebhooksPage() {
  const { eventTypes } = useSession();
  return (
    <OwnerListPage
      calls={WEBHOOK}
      query={useAnswer("GET /webhooks")}
      toRows={({ webhooks }) => webhooks}
      icon={Webhook}
      about="A webhook sends an HTTP request to your server for each event of the types that it wants."
      describe={(webhook) => eventsInWords(webhook, eventLabel)}
      idleWord={(webhook) => idleWord(webhook, eventTypes)}
    />
  );
}
