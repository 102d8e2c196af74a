/** The product's records that became no event: the reasons, and the record, so that somebody can mend it. */
import { CircleCheck } from "lucide-react";
import { useSearchParams } from "wouter";
import { RefusedRecordCard } from "../parts/events/refused-records.tsx";
import { useAnswer } from "../query.ts";
import { Card } from "../ui/card.tsx";
import { EmptyState, Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";

export function RefusedRecordsPage() {
  const [search] = useSearchParams();
  const cursor = search.get("cursor");
  const query = useAnswer("GET /refused-records", { query: cursor === null ? {} : { cursor } });
  return (
    <Page
      title="Refused records"
      section="Event catalog"
      back={{ href: "/events", label: "Event catalog" }}
      description="Records that your product committed and that could not become events."
    >
      <Loaded what="refused records" query={query}>
        {({ records, nextCursor }) =>
          records.length === 0 ? (
            <Card isFlush>
              <EmptyState icon={CircleCheck} title={cursor === null ? "Nothing was refused" : "There is nothing older"}>
                What your product sends and this service cannot use is kept here with the reason.
              </EmptyState>
            </Card>
          ) : (
            <>
              {records.map((record) => (
                <RefusedRecordCard key={record.id} refused={record} />
              ))}
              <Pager label="refused records" nextCursor={nextCursor} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
