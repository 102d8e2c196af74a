/**
 * The Webhooks toggle with everything that it shows: the fields, and **Test webhook** on what is typed. Off hides the
 * fields and keeps their values; on a plan without webhooks all of it is visible, read-only, and says why.
 */
import type { RefObject } from "react";
import { useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { PlanGate } from "../../ui/plan-gate.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TestArea } from "../test-result/test-area.tsx";
import { WebhookFields } from "../webhook/webhook-fields.tsx";
import type { AlertEditor } from "./use-alert-subject.ts";

interface Props {
  readonly editor: AlertEditor;
  readonly urlRef: RefObject<HTMLInputElement | null>;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

/** Beside the button, because what it sends is real and leaves the account at once. */
const SENDS =
  "Sends your latest session, personal data included, to the URL above, saved or not; a made-up one if you have none.";

export function WebhooksCard({ editor, urlRef, ownersOnly }: Props) {
  const { state, change, shown, tests, sends } = editor;
  const { alertWebhooksGate: gate } = useSession();
  const isReadOnly = gate !== null || ownersOnly !== undefined;
  const isShown = state.webhooksOn || gate !== null;
  return (
    <Card>
      <div className="space-y-5">
        <PlanGate reason={gate} title="Webhooks are part of the Starter plan">
          <fieldset disabled={ownersOnly !== undefined} className="min-w-0 space-y-5">
            <legend className="sr-only">Webhooks</legend>
            <Switch
              label="Webhooks"
              help="Send a signed HTTP POST to your server for each session that fires this alert."
              checked={state.webhooksOn}
              onChange={(event) => change({ ...state, webhooksOn: event.target.checked })}
            />
            {isShown && (
              <WebhookFields
                draft={state.webhook}
                shown={shown}
                onChange={(webhook, ...keys) => change({ ...state, webhook }, ...keys)}
                isReadOnly={isReadOnly}
                urlRef={urlRef}
              />
            )}
          </fieldset>
        </PlanGate>
        {isShown && (
          <div className="border-t border-line pt-4">
            <TestArea
              action="Test webhook"
              help={SENDS}
              tests={tests}
              sends={sends}
              onTest={() => void editor.test()}
              disabledReason={ownersOnly ?? gate ?? undefined}
              onUseUrl={isReadOnly ? undefined : editor.useUrl}
            />
          </div>
        )}
      </div>
    </Card>
  );
}
