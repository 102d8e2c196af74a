/**
 * Conditions in a form, in a chunk of their own: the fields that everybody fills in do not wait for them. Their place
 * is kept, or the fields below would jump away from the pointer.
 */
import { Suspense } from "react";
import { Skeleton } from "../../ui/skeleton.tsx";
import type { ConditionsProps } from "./draft.ts";
import { onDemand } from "../../later.ts";

const MoreConditions = onDemand(() => import("./more-conditions.tsx"), "MoreConditions");

export function ConditionsSection(props: ConditionsProps) {
  return (
    <Suspense fallback={<Skeleton className="h-54" />}>
      <MoreConditions {...props} />
    </Suspense>
  );
}
