/** Settings → Alerts → one alert: how it does, and what it would do. */
import { idleWord, listAlertFields, toState } from "../parts/alert/alert-state.ts";
import { ALERT } from "../parts/owner/owner-calls.ts";
import { OwnerPage } from "../parts/owner/owner-page.tsx";
import { showFields } from "../parts/webhook-page/settings-card.tsx";
import { useSession } from "../query.ts";

export function AlertPage() {
  const isGated = useSession().alertWebhooksGate !== null;
  return (
    <OwnerPage
      calls={ALERT}
      toFacts={(alert) => showFields(listAlertFields, toState(alert, isGated))}
      idleWord={(alert) => idleWord(alert, isGated)}
    />
  );
}
