/** The playground: send a session or a conversation by hand, as the product's back end would. */
import { useSearchParams } from "wouter";
import { RecordForm } from "../parts/playground/record-form.tsx";
import { useAnswer } from "../query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

export function PlaygroundPage() {
  const samples = useAnswer("GET /playground/samples");
  const [search, setSearch] = useSearchParams();
  const kind = search.get("kind") === "conversation" ? "conversation" : "session";
  return (
    <Page
      title="Playground"
      description="Hand in a record as the product’s back end would, and watch it become deliveries."
      isNarrow
    >
      <Loaded what="the samples" query={samples}>
        {({ session, conversation }) => (
          <Tabs
            label="What to send"
            value={kind}
            onChange={(next) => setSearch({ kind: next }, { replace: true })}
            tabs={[
              {
                id: "session",
                label: "Demo session",
                content: <RecordForm kind="session" sample={session} onSample={samples.refetch} />,
              },
              {
                id: "conversation",
                label: "Chat conversation",
                content: <RecordForm kind="conversation" sample={conversation} onSample={samples.refetch} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
