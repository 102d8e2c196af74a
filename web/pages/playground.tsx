/** The playground: send a record by hand, as the product's back end would. */
import { useSearchParams } from "wouter";
import { TypeChooser } from "../parts/catalog/type-chooser.tsx";
import { RecordForm } from "../parts/playground/record-form.tsx";
import { useAnswer } from "../query.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

export function PlaygroundPage() {
  const answer = useAnswer("GET /playground/types");
  const [search, setSearch] = useSearchParams();
  return (
    <Page
      title="Playground"
      description="Hand in a record as the product’s back end would, and watch it become deliveries."
      isNarrow
    >
      <Loaded what="the types" query={answer}>
        {({ types }) => (
          <TypeChooser
            label="What to send"
            choices={types}
            chosen={(types.find(({ type }) => type === search.get("event")) ?? types[0])?.type ?? ""}
            onChange={(next) => setSearch({ event: next }, { replace: true })}
          >
            {(type) => <OneType type={type} />}
          </TypeChooser>
        )}
      </Loaded>
    </Page>
  );
}

function OneType({ type }: { readonly type: string }) {
  const sample = useAnswer("GET /playground/samples/:type", { params: { type } });
  return (
    <Loaded what="a sample" query={sample}>
      {({ record }) => <RecordForm type={type} sample={record} onSample={sample.refetch} />}
    </Loaded>
  );
}
