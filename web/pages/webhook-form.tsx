/** Settings → Webhooks → one webhook: where it sends, its name, the events that it wants, and Test webhook. */
import type { WebhookDetail } from "../../src/dashboard/contract/webhooks.ts";
import { WEBHOOK } from "../parts/owner/owner-calls.ts";
import { OwnerForm, OwnerFormPage, type OwnerEditorProps, useOwnerEditor } from "../parts/owner/owner-form.tsx";
import { EventsCard } from "../parts/wanted-events/events-card.tsx";
import { useWebhookSubject } from "../parts/wanted-events/use-webhook-subject.ts";
import { idleWord } from "../parts/wanted-events/webhook-state.ts";
import { DestinationCard, EventTest } from "../parts/wanted-events/webhook-cards.tsx";
import { isPulled } from "../../src/domain/pull.ts";
import { PullCard } from "../parts/webhook/pull-card.tsx";
import { useOwnersOnly, useSession } from "../query.ts";

export const WebhookFormPage = () => <OwnerFormPage calls={WEBHOOK} editor={Editor} />;

function Editor({ detail, onCreated, copy }: OwnerEditorProps<WebhookDetail>) {
  const editor = useOwnerEditor(useWebhookSubject(detail, onCreated), detail, copy);
  const ownersOnly = useOwnersOnly("change webhooks");
  const { eventTypes } = useSession();
  return (
    <OwnerForm
      calls={WEBHOOK}
      detail={detail}
      editor={editor}
      idleWord={detail === null ? null : idleWord(detail, eventTypes)}
      ownersOnly={ownersOnly}
      test={
        isPulled(editor.state.webhook) ? (
          <PullCard destinationId={findPulledId(detail)} ownersOnly={ownersOnly} />
        ) : (
          <EventTest editor={editor} ownersOnly={ownersOnly} />
        )
      }
    >
      <DestinationCard editor={editor} ownersOnly={ownersOnly} />
      <EventsCard editor={editor} ownersOnly={ownersOnly} />
    </OwnerForm>
  );
}

/** Of one that is saved as asked. */
function findPulledId(detail: WebhookDetail | null): string | null {
  const destination = detail?.destination ?? null;
  return destination !== null && isPulled(destination) ? destination.id : null;
}
