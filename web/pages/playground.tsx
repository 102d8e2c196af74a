/** The playground: send a record by hand, as the product’s back end would. */
/** The playground: send a session or a conversation by hand, as the product's back end would. */
import { useSearchParams } from "wouter";
import { RecordForm } from "../parts/playground/record-form.tsx";
import { useAnswer, useSession } from "../query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

export function PlaygroundPage() {
  const samples = useAnswer("GET /playground/samples");
  const [search, setSearch] = useSearchParams();
  const { eventTypes } = useSession();
  const type = (eventTypes.find((each) => each.type === search.get("event")) ?? eventTypes[0])?.type ?? "";
  return (
    <Page
      title="Playground"
      description="Hand in a record as the product’s back end would, and watch it become deliveries."
      isNarrow
    >
      <Loaded what="the samples" query={samples}>
        {({ samples: shown }) => (
          <Tabs
            label="What to send"
            value={type}
            onChange={(next) => setSearch({ event: next }, { replace: true })}
            tabs={shown.map(({ type: id, label, record }) => ({
              id,
              label,
              content: <RecordForm type={id} sample={record} onSample={samples.refetch} />,
            }))}
          />
        )}
      </Loaded>
    </Page>
  );
}
