/** The first card of a webhook's form, where events are sent, and Test webhook. */
import { useSession } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { Select } from "../../ui/controls.tsx";
import { Field } from "../../ui/field.tsx";
import { TestCard } from "../owner/test-card.tsx";
import { WebhookFields } from "../webhook/webhook-fields.tsx";
import { findTested, type WebhookEditor } from "./use-webhook-subject.ts";
import { findWantedTypes, listTestable } from "./webhook-state.ts";

interface Props {
  readonly editor: WebhookEditor;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

export function DestinationCard({ editor, ownersOnly }: Props) {
  const { eventTypes } = useSession();
  return (
    <Card>
      <fieldset disabled={ownersOnly !== undefined} className="min-w-0">
        <legend className="sr-only">Destination</legend>
        <WebhookFields
          draft={editor.state.webhook}
          shown={editor.shown}
          onChange={editor.changeWebhook}
          isReadOnly={ownersOnly !== undefined}
          mayBePulled
          events={{ owner: "webhook", types: findWantedTypes(editor.state, eventTypes) }}
          urlRef={editor.urlRef}
        />
      </fieldset>
    </Card>
  );
}

/** Beside the button, because what it sends is real and leaves the account at once. */
const SENDS =
  "Sends your latest event of this type, personal data included, to the Webhook URL as typed, saved or not; its " +
  "example if you have none.";

export function EventTest({ editor, ownersOnly }: Props) {
  const { state, change } = editor;
  const { eventTypes } = useSession();
  const offered = listTestable(state, eventTypes);
  const disabledReason = offered.length === 0 ? "Your plan has none of these events." : undefined;
  return (
    <TestCard editor={editor} help={SENDS} disabledReason={ownersOnly ?? disabledReason}>
      <Field label="Event">
        {(control) => (
          <Select
            {...control}
            options={offered.map(({ type, title }) => ({ value: type, label: title }))}
            value={findTested(state, eventTypes)}
            onChange={({ target: { value } }) => change({ ...state, tested: value })}
          />
        )}
      </Field>
    </TestCard>
  );
}
