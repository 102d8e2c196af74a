/** The event catalog: what each event means, its fields, and a sample to build a receiver with. */
import { useLocation, useParams } from "wouter";
import type { EventTypeView } from "../../src/dashboard/contract/catalog.ts";
import { EventTypeCard } from "../parts/catalog/event-type-card.tsx";
import { RefusedBanner } from "../parts/events/refused-records.tsx";
import { useAnswer } from "../query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

export function EventsPage() {
  const types = useAnswer("GET /event-types");
  return (
    <Page
      title="Event catalog"
      description="What your server is sent, field by field. These are the very schemas that are checked."
    >
      <RefusedBanner />
      <Loaded what="the event catalog" query={types}>
        {(answer) => <Types types={answer.types} />}
      </Loaded>
    </Page>
  );
}

function Types({ types }: { readonly types: readonly EventTypeView[] }) {
  const { type } = useParams<{ type?: string }>();
  const [, navigate] = useLocation();
  const chosen = types.find((one) => one.type === type) ?? types[0];
  if (chosen === undefined) return null;
  return (
    <Tabs
      label="Event types"
      value={chosen.type}
      onChange={(next) => navigate(`/events/${next}`, { replace: true })}
      tabs={types.map((one) => ({ id: one.type, label: one.type, content: <EventTypeCard event={one} /> }))}
    />
  );
}
