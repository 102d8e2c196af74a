/** The history of a webhook's troubles, in a chunk of its own: the form above it does not wait for it. */
import { Suspense, lazy } from "react";

const IncidentsCard = lazy(async () => ({ default: (await import("./incidents-card.tsx")).IncidentsCard }));

export function Incidents({ destinationId }: { readonly destinationId: string }) {
  return (
    <Suspense fallback={null}>
      <IncidentsCard destinationId={destinationId} />
    </Suspense>
  );
}
