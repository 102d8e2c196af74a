/**
 * Finds the destinations of an event. Pure: the same account and facts give the same answer.
 *
 * An alert takes part when its Webhooks toggle is on, the plan allows it and its conditions hold. A destination that is
 * paused or off still gets its delivery: it waits there.
 */
import type { AccountView, DestinationView } from "../accounts/account-view.ts";
import { alertMatches } from "../domain/alert.ts";
import { allowsAlertWebhooks } from "../domain/plan.ts";
import type { RoutingFacts } from "../events/family.ts";

export function route(view: AccountView, facts: RoutingFacts): readonly DestinationView[] {
  switch (facts.type) {
    case "demo_viewed": {
      if (!allowsAlertWebhooks(view.account.plan)) return [];
      const firing = view.alerts.filter(({ alert }) => alert.webhooksOn && alertMatches(alert, facts.session));
      return firing.flatMap(({ destination }) => destination ?? []);
    }
    case "chat_conversation_completed": {
      const destination = view.assistants.get(facts.assistantId)?.destination ?? null;
      return destination === null ? [] : [destination];
    }
  }
}
