/** How a webhook does, in a chunk of its own: charts and lists come after the head of the page that has it. */
import { type ComponentProps, Suspense } from "react";
import { Skeleton } from "../../ui/skeleton.tsx";
import { onDemand } from "../../later.ts";

const View = onDemand(() => import("./webhook-view.tsx"), "WebhookView");

export function WebhookView(props: ComponentProps<typeof View>) {
  return (
    <Suspense fallback={<Skeleton className="h-96" />}>
      <View {...props} />
    </Suspense>
  );
}
