/** The cards of an alert's form below its name: when it is sent, where to, on which conditions, and Test webhook. */
import type { RefObject } from "react";
import { useAnswer, useSession } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { Field, Input, RadioCards, Switch } from "../../ui/field.tsx";
import { PlanGate } from "../../ui/plan-gate.tsx";
import { ConditionsSection } from "../conditions/conditions-section.tsx";
import type { FieldErrors } from "../field-errors.ts";
import { TestCard } from "../owner/test-card.tsx";
import { WebhookFields } from "../webhook/webhook-fields.tsx";
import { type AlertState, AUDIENCES } from "./alert-state.ts";
import { ChipsInput } from "./chips-input.tsx";
import type { AlertEditor } from "./use-alert-subject.ts";

interface Props {
  readonly state: AlertState;
  readonly errors: FieldErrors;
  readonly onChange: (state: AlertState, ...keys: readonly string[]) => void;
}

function SendWhen({ state, errors, onChange }: Props) {
  const { data } = useAnswer("GET /alerts/suggestions");
  return (
    <>
      <RadioCards
        legend="Send when"
        options={AUDIENCES}
        value={state.audience}
        error={errors["audience"]}
        onChange={(audience) => onChange({ ...state, audience }, "audience")}
      />
      <ChipsInput
        label="Only these demos"
        help="Names as they are in the product. Press Enter after each; leave it empty for every demo."
        noun="demo"
        placeholder="Every demo"
        words={state.demos}
        suggestions={data?.demos ?? []}
        error={errors["demos"]}
        onChange={(demos) => onChange({ ...state, demos }, "demos")}
      />
      <ChipsInput
        label="Only these intent levels"
        help="Such as high. Press Enter after each; leave it empty for every level."
        noun="intent level"
        placeholder="Every level"
        words={state.intentLevels}
        suggestions={data?.intentLevels ?? []}
        error={errors["intentLevels"]}
        onChange={(intentLevels) => onChange({ ...state, intentLevels }, "intentLevels")}
      />
    </>
  );
}

/*
 * The Webhooks toggle with the fields that it shows. Off hides the fields and keeps their values; on a plan without
 * webhooks all of it is visible, read-only, and says why.
 */

interface WebhooksCardProps {
  readonly editor: AlertEditor;
  readonly urlRef: RefObject<HTMLInputElement | null>;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

export function WebhooksCard({ editor, urlRef, ownersOnly }: WebhooksCardProps) {
  const { state, change, shown } = editor;
  const { alertWebhooksGate: gate } = useSession();
  return (
    <Card>
      <PlanGate reason={gate} title="Webhooks are part of the Starter plan">
        <fieldset disabled={ownersOnly !== undefined} className="min-w-0 space-y-5">
          <legend className="sr-only">Webhooks</legend>
          <Switch
            label="Webhooks"
            help="Send a signed HTTP POST to your server for each session that fires this alert."
            checked={state.webhooksOn}
            onChange={(event) => change({ ...state, webhooksOn: event.target.checked })}
          />
          {(state.webhooksOn || gate !== null) && (
            <WebhookFields
              draft={state.webhook}
              shown={shown}
              onChange={(webhook, ...keys) => change({ ...state, webhook }, ...keys)}
              isReadOnly={gate !== null || ownersOnly !== undefined}
              urlRef={urlRef}
            />
          )}
        </fieldset>
      </PlanGate>
    </Card>
  );
}

/* The first section of an alert: its name, and which sessions it is sent for. */

interface ConditionsCardProps {
  readonly editor: AlertEditor;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

export function ConditionsCard({ editor: { state, shown, change }, ownersOnly }: ConditionsCardProps) {
  const { limits } = useSession();
  const { audience, demos, intentLevels, conditions } = state;
  return (
    <Card>
      <fieldset disabled={ownersOnly !== undefined} className="min-w-0 space-y-5">
        <legend className="sr-only">Name and conditions</legend>
        <Field label="Name" error={shown.errors["name"]}>
          {(control) => (
            <Input
              {...control}
              placeholder="New demo leads"
              maxLength={limits.alertNameCharsMax}
              value={state.name}
              onChange={(event) => change({ ...state, name: event.target.value }, "name")}
            />
          )}
        </Field>
        <SendWhen state={state} errors={shown.errors} onChange={change} />
        <ConditionsSection
          legend="More conditions"
          draft={conditions}
          errors={shown.errors}
          onChange={(next, ...keys) => change({ ...state, conditions: next }, ...keys)}
          onLeave={shown.leave}
          isReadOnly={ownersOnly !== undefined}
          tries={{ audience, demos, intentLevels }}
        />
      </fieldset>
    </Card>
  );
}

/* **Test webhook**. There is nothing to test while Webhooks is off. */

interface TestProps {
  readonly editor: AlertEditor;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

/** Beside the button, because what it sends is real and leaves the account at once. */
const SENDS =
  "Sends your latest session, personal data included, to the Webhook URL as typed, saved or not; a made-up one if " +
  "you have none.";

export function AlertTest({ editor, ownersOnly }: TestProps) {
  const { alertWebhooksGate: gate } = useSession();
  if (!editor.state.webhooksOn && gate === null) return null;
  // The reason stands in full above the fields; said twice it reads as two.
  const disabledReason = ownersOnly ?? (gate === null ? undefined : "Part of the Starter plan.");
  return <TestCard editor={editor} help={SENDS} disabledReason={disabledReason} />;
}
