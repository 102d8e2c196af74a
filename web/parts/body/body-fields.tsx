/**
 * What a webhook sends: the choice, the editor of a template, and what the latest events would have sent. Comes in a
 * file of its own when somebody opens it.
 */
import type { BodyKind } from "../../../src/dashboard/contract/destinations.ts";
import { RadioCards } from "../../ui/controls.tsx";
import { type BodyDraft, chooseBody } from "./body-draft.ts";
import { BODIES } from "./body-kinds.ts";
import { BodyPreviewArea } from "./body-preview.tsx";
import { TemplateEditor } from "./template-editor.tsx";
import { useOfferedFields, type WantedEvents } from "./wanted-events.ts";
import { usePreview } from "./use-preview.ts";

interface Props {
  readonly draft: BodyDraft;
  readonly error: string | undefined;
  readonly events: WantedEvents;
  readonly onChange: (draft: BodyDraft) => void;
  readonly onLeave: () => void;
  readonly isReadOnly: boolean;
}

export function BodyFields({ draft, error, events, onChange, onLeave, isReadOnly }: Props) {
  const { kind, template } = draft;
  const fields = useOfferedFields(events);
  const preview = usePreview(draft, events);
  return (
    <div className="space-y-4">
      <RadioCards
        isGrid
        legend="What is sent"
        options={KINDS}
        help={BODIES[kind].help}
        value={kind}
        disabled={isReadOnly}
        onChange={(next) => onChange(chooseBody(draft, next))}
      />
      {kind === "template" && (
        <TemplateEditor
          value={template}
          error={error ?? preview.templateError}
          fields={fields}
          onChange={(next) => onChange({ ...draft, template: next })}
          onLeave={onLeave}
          isReadOnly={isReadOnly}
        />
      )}
      {kind !== "event" && (
        <BodyPreviewArea
          kind={kind}
          preview={preview}
          onStart={isReadOnly ? undefined : (text) => onChange({ ...chooseBody(draft, "template"), template: text })}
        />
      )}
    </div>
  );
}

const KINDS = (["event", "slack", "teams", "discord", "google_chat", "template"] satisfies readonly BodyKind[]).map(
  (value) => ({ value, label: BODIES[value].label }),
);
