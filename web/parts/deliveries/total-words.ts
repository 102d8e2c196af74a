/** A total in words. Pure. */
import type { DeliveryTotal } from "../../../src/dashboard/contract/deliveries.ts";
import { count, number } from "../../words.ts";

interface Known {
  /** Those on the page. */
  readonly rows: number;
  /** They are all that there are. */
  readonly isOnePage: boolean;
  /** The service's count; `undefined` until it is there. */
  readonly total: DeliveryTotal | undefined;
}

/** Empty where nothing is known yet. */
export function totalInWords({ rows, isOnePage, total }: Known): string {
  if (isOnePage) return count(rows, "delivery", "deliveries");
  if (total === undefined) return "";
  // A count that was cut may have found fewer than a page that knew where to look.
  if (!total.isWhole) return `At least ${number(Math.max(total.count, rows))}`;
  return count(total.count, "delivery", "deliveries");
}
