/** The history of a webhook's troubles, in a chunk of its own: the form above it does not wait for it. */
import { Suspense } from "react";
import { Skeleton } from "../../ui/skeleton.tsx";
import { onDemand } from "../../later.ts";

const IncidentsCard = onDemand(() => import("./incidents-card.tsx"), "IncidentsCard");

export function Incidents({ destinationId }: { readonly destinationId: string }) {
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <IncidentsCard destinationId={destinationId} />
    </Suspense>
  );
}
