/** Conditions in a form, in a chunk of their own: the fields that everybody fills in do not wait for them. */
import { Suspense, lazy } from "react";
import type { ConditionsProps } from "./conditions-props.ts";

const MoreConditions = lazy(async () => ({ default: (await import("./more-conditions.tsx")).MoreConditions }));

export function ConditionsSection(props: ConditionsProps) {
  return (
    <Suspense fallback={null}>
      <MoreConditions {...props} />
    </Suspense>
  );
}
