/** The playground: send a record by hand, as the product’s back end would. */
/** The playground: send a session or a conversation by hand, as the product's back end would. */
import { useSearchParams } from "wouter";
import { EVENT_TYPES, eventFacts } from "../../src/domain/event.ts";
import { sourceWord } from "../parts/event-words.ts";
import { RecordForm } from "../parts/playground/record-form.tsx";
import { useAnswer } from "../query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

export function PlaygroundPage() {
  const samples = useAnswer("GET /playground/samples");
  const [search, setSearch] = useSearchParams();
  const kinds = EVENT_TYPES.map(sourceWord);
  const kind = kinds.find((each) => each === search.get("kind")) ?? sourceWord(EVENT_TYPES[0]);
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
            value={kind}
            onChange={(next) => setSearch({ kind: next }, { replace: true })}
            tabs={shown.map(({ type, record }) => ({
              id: sourceWord(type),
              label: eventFacts(type).record,
              content: <RecordForm type={type} sample={record} onSample={samples.refetch} />,
            }))}
          />
        )}
      </Loaded>
    </Page>
  );
}
