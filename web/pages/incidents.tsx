/** Incidents of all webhooks: those under way first, with what came back and what became of the deliveries. */
import { CircleCheck } from "lucide-react";
import { useSearchParams } from "wouter";
import { call } from "../api.ts";
import { IncidentPages } from "../parts/incidents/incidents-card.tsx";
import { useAnswer } from "../query.ts";
import { Card } from "../ui/card.tsx";
import { EmptyState, Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function IncidentsPage() {
  const [search] = useSearchParams();
  const linked = search.get("incident");
  const query = useAnswer("GET /incidents", { query: linked === null ? {} : { incident: linked } });
  return (
    <Page title="Incidents" description="When webhooks were in trouble, what came back, and what became of deliveries.">
      <Card isFlush>
        <Loaded what="the incidents" query={query}>
          {({ incidents, olderThan }) =>
            incidents.length === 0 ? (
              <EmptyState icon={CircleCheck} title="No incidents">
                One begins with the fifth failed attempt in a row, or when a webhook is turned off.
              </EmptyState>
            ) : (
              <IncidentPages
                incidents={incidents}
                olderThan={olderThan}
                linked={linked}
                loadOlder={(before) => call("GET /incidents", { query: { before } })}
              />
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}
