/**
 * The Webhooks toggle with the fields that it shows. Off hides the fields and keeps their values; on a plan without
 * webhooks all of it is visible, read-only, and says why.
 */
import type { RefObject } from "react";
import { useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { PlanGate } from "../../ui/plan-gate.tsx";
import { Switch } from "../../ui/switch.tsx";
import { WebhookFields } from "../webhook/webhook-fields.tsx";
import type { AlertEditor } from "./use-alert-subject.ts";

interface Props {
  readonly editor: AlertEditor;
  readonly urlRef: RefObject<HTMLInputElement | null>;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

export function WebhooksCard({ editor, urlRef, ownersOnly }: Props) {
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
