/** The event catalog: what each event means, its fields, and a sample to build a receiver with. */
import { useLocation, useParams } from "wouter";
import { EventTypeCard } from "../parts/catalog/event-type-card.tsx";
import { TypeChooser } from "../parts/catalog/type-chooser.tsx";
import { RefusedBanner } from "../parts/events/refused-records.tsx";
import { usedTypes } from "../parts/uses.ts";
import { useAnswer, useSession } from "../query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { OutsideLink } from "../ui/links.tsx";
import { Page } from "../ui/page.tsx";

/** The service has it for every caller. */
const ASYNC_API = new URL("asyncapi.json", document.baseURI).href;

export function EventsPage() {
  const { type: wanted } = useParams<{ type?: string }>();
  const [, navigate] = useLocation();
  const session = useSession();
  const types = usedTypes(session);
  const chosen = session.eventTypes.find(({ type }) => type === wanted) ?? types[0];
  return (
    <Page
      title="Event catalog"
      description={
        <>
          What your server receives, field by field, from the schemas that each event is checked against. All of it in
          one document for your tools: <OutsideLink url={ASYNC_API} label="AsyncAPI" />
        </>
      }
    >
      <RefusedBanner />
      <TypeChooser
        label="Event types"
        choices={types.map(({ type }) => ({ type, label: type }))}
        chosen={chosen?.type ?? ""}
        onChange={(next) => navigate(`/events/${next}`, { replace: true })}
      >
        {(type) => <OneType type={type} />}
      </TypeChooser>
    </Page>
  );
}

function OneType({ type }: { readonly type: string }) {
  const query = useAnswer("GET /event-types/:type", { params: { type } });
  return (
    <Loaded what="the event type" query={query}>
      {(event) => <EventTypeCard event={event} />}
    </Loaded>
  );
}
