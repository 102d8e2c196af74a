/** The bodies that a delivery's attempts have sent, as its own page shows them. Asked for when somebody opens them. */
import { useAnswer } from "../../query.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { listBodies } from "../delivery/sent-bodies.ts";
import { Payload } from "../json/json-tree.tsx";

export function FailedBody({ deliveryId }: { readonly deliveryId: string }) {
  const query = useAnswer("GET /deliveries/:id", { params: { id: deliveryId } });
  return (
    <Loaded what="the body" query={query} skeleton={<Skeleton className="h-24" />}>
      {(detail) =>
        listBodies(detail).map(({ heading, label, text, note }) => (
          <div key={heading} className="space-y-1">
            {note !== "" && <p className="text-ink-soft">{note}</p>}
            {(note === "" || text !== null) && <Payload body={text} label={label} />}
          </div>
        ))
      }
    </Loaded>
  );
}
