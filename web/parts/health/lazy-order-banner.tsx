/** What holds a webhook that gets one delivery at a time, in a chunk of its own: most webhooks have no such order. */
import { Suspense } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { onDemand } from "../../later.ts";

const Banner = onDemand(() => import("./order-banner.tsx"), "OrderBanner");

/** Nothing while nothing holds it. */
export function OrderBanner({ destination }: { readonly destination: DestinationView }) {
  return destination.order === undefined ? null : (
    <Suspense fallback={null}>
      <Banner destination={destination} />
    </Suspense>
  );
}
