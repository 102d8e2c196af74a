/** The cards of an alert's form: where it sends, its name, for which sessions it is sent, and Test webhook. */
import { useAnswer, useSession } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { RadioCards, Switch } from "../../ui/controls.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Fold } from "../../ui/fold.tsx";
import { PlanGate } from "../../ui/plan-gate.tsx";
import { ConditionsSection } from "../conditions/conditions-section.tsx";
import { TestCard } from "../owner/test-card.tsx";
import { WebhookFields } from "../webhook/webhook-fields.tsx";
import { type AlertState, AUDIENCES, isNarrowed } from "./alert-state.ts";
import { ChipsInput } from "./chips-input.tsx";
import type { AlertEditor } from "./use-alert-subject.ts";

/*
 * The Webhooks toggle with the fields that it shows. Off hides the fields and keeps their values; on a plan without
 * webhooks all of it is visible, read-only, and says why.
 */

interface Props {
  readonly editor: AlertEditor;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

export function WebhooksCard({ editor, ownersOnly }: Props) {
  const { state, change, shown, urlRef } = editor;
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
              onChange={editor.changeWebhook}
              isReadOnly={gate !== null || ownersOnly !== undefined}
              events={{ owner: "alert" }}
              urlRef={urlRef}
            />
          )}
        </fieldset>
      </PlanGate>
    </Card>
  );
}

/* The name, and the sessions that it is sent for. */

export function ConditionsCard({ editor: { state, shown, change }, ownersOnly }: Props) {
  const { limits } = useSession();
  return (
    <Card>
      <fieldset disabled={ownersOnly !== undefined} className="min-w-0 space-y-3">
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
        <div className="rounded-md border border-line">
          <Fold
            summary="Only some sessions"
            isUsed={isNarrowed(state)}
            isForced={Object.keys(shown.errors).some((key) => NARROWING.test(key))}
          >
            <Narrowing state={state} shown={shown} onChange={change} isReadOnly={ownersOnly !== undefined} />
          </Fold>
        </div>
      </fieldset>
    </Card>
  );
}

/** The keys of its errors. */
const NARROWING = /^(?:audience|demos|intentLevels|condition)/;

interface NarrowingProps {
  readonly state: AlertState;
  readonly shown: AlertEditor["shown"];
  readonly onChange: (state: AlertState, ...keys: readonly string[]) => void;
  readonly isReadOnly: boolean;
}

function Narrowing({ state, shown: { errors, leave }, onChange, isReadOnly }: NarrowingProps) {
  const { data } = useAnswer("GET /alerts/suggestions");
  const { audience, demos, intentLevels, conditions } = state;
  return (
    <>
      <RadioCards
        isRow
        legend="Send when"
        options={AUDIENCES.map(({ value, label }) => ({ value, label }))}
        help={AUDIENCES.find(({ value }) => value === audience)?.help}
        value={audience}
        error={errors["audience"]}
        onChange={(next) => onChange({ ...state, audience: next }, "audience")}
      />
      <ChipsInput
        label="Only these demos"
        noun="demo"
        placeholder="Every demo"
        words={demos}
        suggestions={data?.demos ?? []}
        error={errors["demos"]}
        onChange={(next) => onChange({ ...state, demos: next }, "demos")}
      />
      <ChipsInput
        label="Only these intent levels"
        noun="intent level"
        placeholder="Every level"
        words={intentLevels}
        suggestions={data?.intentLevels ?? []}
        error={errors["intentLevels"]}
        onChange={(next) => onChange({ ...state, intentLevels: next }, "intentLevels")}
      />
      <ConditionsSection
        legend="More conditions"
        draft={conditions}
        errors={errors}
        onChange={(next, ...keys) => onChange({ ...state, conditions: next }, ...keys)}
        onLeave={leave}
        isReadOnly={isReadOnly}
        tries={{ audience, demos, intentLevels }}
      />
    </>
  );
}

/* **Test webhook**. There is nothing to test while Webhooks is off. */

/** Beside the button, because what it sends is real and leaves the account at once. */
const SENDS =
  "Sends your latest session, personal data included, to the Webhook URL as typed, saved or not; a made-up one if " +
  "you have none.";

export function AlertTest({ editor, ownersOnly }: Props) {
  const { alertWebhooksGate: gate } = useSession();
  if (!editor.state.webhooksOn && gate === null) return null;
  // The reason stands in full above the fields; said twice it reads as two.
  const disabledReason = ownersOnly ?? (gate === null ? undefined : "Part of the Starter plan.");
  return <TestCard editor={editor} help={SENDS} disabledReason={disabledReason} />;
}
