/** The past and the next steps of a delivery, in the order of time. Pure. */
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";

export type Step =
  | { readonly kind: "accepted"; readonly atMs: number }
  | { readonly kind: "attempt"; readonly attempt: AttemptView }
  | { readonly kind: "resent"; readonly atMs: number; readonly by: string }
  /** `atMs` is `null` while its destination is not on. */
  | { readonly kind: "next"; readonly atMs: number | null }
  | { readonly kind: "cancelled"; readonly atMs: number | null };

export function toSteps(detail: DeliveryDetail): readonly Step[] {
  const { createdAtMs, attempts, resent, isTest } = detail;
  const before = resent === null ? attempts : attempts.filter(({ startedAtMs }) => startedAtMs < resent.atMs);
  const after = attempts.slice(before.length);
  return [
    // A test was made, not accepted.
    ...(isTest ? [] : [{ kind: "accepted", atMs: createdAtMs } as const]),
    ...before.map(asStep),
    ...(resent === null ? [] : [{ kind: "resent", ...resent } as const]),
    ...after.map(asStep),
    ...toEnd(detail),
  ];
}

const asStep = (attempt: AttemptView): Step => ({ kind: "attempt", attempt });

function toEnd({ status, nextAttemptAtMs, settledAtMs }: DeliveryDetail): readonly Step[] {
  switch (status) {
    case "waiting":
    case "retrying":
      return [{ kind: "next", atMs: nextAttemptAtMs }];
    case "cancelled":
      return [{ kind: "cancelled", atMs: settledAtMs }];
    case "delivered":
    case "failed":
      return [];
  }
}
