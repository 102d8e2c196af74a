/** Settings → Alerts → one alert: the specification's first path, in its order. */
import type { AlertDetail } from "../../src/dashboard/contract/alerts.ts";
import { ConditionsCard, AlertTest, WebhooksCard } from "../parts/alert/alert-cards.tsx";
import { idleWord } from "../parts/alert/alert-state.ts";
import { useAlertSubject } from "../parts/alert/use-alert-subject.ts";
import { ALERT } from "../parts/owner/owner-calls.ts";
import { OwnerForm, OwnerFormPage, type OwnerEditorProps, useOwnerEditor } from "../parts/owner/owner-form.tsx";
import { useOwnersOnly, useSession } from "../query.ts";

export const AlertFormPage = () => <OwnerFormPage calls={ALERT} editor={Editor} />;

function Editor({ detail, onCreated, copy }: OwnerEditorProps<AlertDetail>) {
  const editor = useOwnerEditor(useAlertSubject(detail, onCreated), detail, copy);
  const ownersOnly = useOwnersOnly("change alerts");
  const { alertWebhooksGate } = useSession();
  return (
    <OwnerForm
      calls={ALERT}
      detail={detail}
      editor={editor}
      idleWord={detail === null ? null : idleWord(detail, alertWebhooksGate !== null)}
      ownersOnly={ownersOnly}
      test={<AlertTest editor={editor} ownersOnly={ownersOnly} />}
    >
      <WebhooksCard editor={editor} ownersOnly={ownersOnly} />
      <ConditionsCard editor={editor} ownersOnly={ownersOnly} />
    </OwnerForm>
  );
}
