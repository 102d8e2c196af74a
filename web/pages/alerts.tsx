/** Settings → Alerts: every alert with where it sends and how that goes. */
import { Bell } from "lucide-react";
import { idleWord } from "../parts/alert/alert-state.ts";
import { ALERT } from "../parts/owner/owner-calls.ts";
import { OwnerListPage } from "../parts/owner/owner-list.tsx";
import { conditionsInWords } from "../parts/owner/owner-words.ts";
import { useAnswer, useSession } from "../query.ts";

export function AlertsPage() {
  const { alertWebhooksGate } = useSession();
  return (
    <OwnerListPage
      calls={ALERT}
      query={useAnswer("GET /alerts")}
      toRows={({ alerts }) => alerts}
      icon={Bell}
      about="An alert sends an HTTP request to your server when somebody has viewed a demo, such as a new lead."
      describe={conditionsInWords}
      idleWord={(alert) => idleWord(alert, alertWebhooksGate !== null)}
    />
  );
}
