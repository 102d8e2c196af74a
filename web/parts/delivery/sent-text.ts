/** The exact text that an attempt has sent. Pure. */
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";

/** A body that could not be made went nowhere. */
export const hasSent = ({ outcome }: AttemptView): boolean => outcome.class !== "body";

/** The text that an attempt has sent; `null` where nobody can tell to the byte. */
export function sentText(
  attempt: AttemptView,
  { body, sentBodies }: Pick<DeliveryDetail, "body" | "sentBodies">,
): string | null {
  if (attempt.sent === null) return hasSent(attempt) ? body : null;
  const view = sentBodies[attempt.sent];
  return view === undefined || view.differs ? null : view.body;
}
