/** A chat assistant's Integrations tab: the specification's second path, in its order. */
import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { useOwnersOnly } from "../../query.ts";
import { toast } from "../../ui/toasts.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { HealthBanner } from "../health/health-banner.tsx";
import { OrderBanner } from "../health/lazy-order-banner.tsx";
import { ConditionsSection } from "../conditions/conditions-section.tsx";
import { StateButton } from "../health/state-button.tsx";
import { ConflictDialog, FormLayout, SaveBar } from "../editor/form-layout.tsx";
import { ResumedBanner } from "../editor/resumed-banner.tsx";
import { BODIES } from "../body/body-kinds.ts";
import { SampleEditor } from "./sample-editor.tsx";
import type { AssistantEditor, useAssistantSubject } from "./use-assistant-subject.ts";
import { TestCard } from "../owner/test-card.tsx";
import { WebhookFields } from "../webhook/webhook-fields.tsx";

/** The editor lives above the tabs: what was typed stays while somebody looks at the conversations. */
interface Props {
  readonly editor: AssistantEditor;
  /** As the page has it now: the editor hears only of what was saved, not of a pause or an outage. */
  readonly destination: DestinationView | null;
  readonly subject: ReturnType<typeof useAssistantSubject>;
  readonly form: RefObject<HTMLFormElement | null>;
  readonly url: RefObject<HTMLInputElement | null>;
}

export function Integrations({ editor, destination, subject, form, url }: Props) {
  const { state, change, shown, phase, saved, stored } = editor;
  const ownersOnly = useOwnersOnly("change webhooks");
  const arrive = useEffectEvent(() => {
    // As in the form of a new alert; who goes from tab to tab by keys stays there.
    if (destination === null && document.activeElement?.role !== "tab") url.current?.focus({ preventScroll: true });
  });
  useEffect(() => arrive(), []);
  return (
    <div className="space-y-5">
      {destination !== null && <HealthBanner destination={destination} />}
      {destination !== null && <OrderBanner destination={destination} />}
      <ResumedBanner editor={editor} />
      <FormLayout
        label="Webhook"
        form={form}
        onSave={editor.save}
        beside={<ConversationTest editor={editor} ownersOnly={ownersOnly} />}
        bar={
          <SaveBar phase={phase} isDirty={editor.isDirty} disabledReason={ownersOnly}>
            {saved !== null && saved.webhook !== null && stored !== null && (
              <RemoveWebhook
                name={saved.name}
                ownersOnly={ownersOnly}
                onRemove={async () => editor.replace(await subject.remove(saved, stored.revision))}
              />
            )}
          </SaveBar>
        }
      >
        <Card
          title="Webhook"
          description="A signed HTTP POST to your server each time a conversation is complete."
          actions={
            destination !== null && (
              <>
                <LinkButton size="sm" href={`/deliveries?destination=${destination.id}`}>
                  View deliveries
                </LinkButton>
                <StateButton destination={destination} disabledReason={ownersOnly} />
              </>
            )
          }
        >
          <fieldset disabled={ownersOnly !== undefined} className="min-w-0">
            <legend className="sr-only">Webhook</legend>
            <WebhookFields
              draft={state.webhook}
              shown={shown}
              onChange={editor.changeWebhook}
              isReadOnly={ownersOnly !== undefined}
              events={{ owner: "assistant", id: saved?.id ?? "" }}
              urlRef={url}
            />
          </fieldset>
        </Card>
        <Card>
          <div className="space-y-4">
            <ConditionsSection
              legend="Conditions"
              help="Without any, each complete conversation is sent."
              draft={state.conditions}
              errors={shown.errors}
              onChange={(conditions, ...keys) => change({ ...state, conditions }, ...keys)}
              onLeave={shown.leave}
              isReadOnly={ownersOnly !== undefined}
              tries={{ assistantId: saved?.id ?? "" }}
            />
          </div>
        </Card>
      </FormLayout>
      <ConflictDialog phase={phase} choice={editor.conflict} />
    </div>
  );
}

interface TestProps {
  readonly editor: AssistantEditor;
  readonly ownersOnly: string | undefined;
}

function ConversationTest({ editor, ownersOnly }: TestProps) {
  const { state, saved, change, shown } = editor;
  const { body } = state;
  return (
    <TestCard editor={editor} action="Send test webhook" help={testWords(state)} disabledReason={ownersOnly}>
      <SampleEditor
        assistantId={saved?.id ?? ""}
        body={body}
        isMadeOf={state.webhook.body.kind !== "event"}
        error={shown.errors["body"]}
        onEdit={(next) => change({ ...state, body: next }, "body")}
        onLeave={() => shown.leave("body")}
        isReadOnly={ownersOnly !== undefined}
      />
    </TestCard>
  );
}

function testWords({ webhook: { body: made }, body }: AssistantEditor["state"]): string {
  const where = "to the Webhook URL as typed, saved or not.";
  if (made.kind !== "event") return `Sends the ${BODIES[made.kind].label} that is made of the sample above ${where}`;
  if (body === null) return `Sends the sample above ${where}`;
  return `Sends the edited sample above ${where} It is not a real event’s shape.`;
}

interface RemoveProps {
  readonly name: string;
  readonly ownersOnly: string | undefined;
  readonly onRemove: () => Promise<void>;
}

function RemoveWebhook({ name, ownersOnly, onRemove }: RemoveProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button tone="danger-plain" className="mr-auto" disabledReason={ownersOnly} onClick={() => setAsked(true)}>
        Remove webhook…
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`Remove the webhook of “${name}”?`}
        action="Remove webhook"
        isDestructive
        onConfirm={async () => {
          await onRemove();
          toast("Webhook removed");
        }}
      >
        Conversations are no longer sent. Webhooks that still wait are cancelled; the log keeps what was sent.
      </ConfirmDialog>
    </>
  );
}
