/** How many deliveries the filters find, as far as that is known without reading every row. */
import type { DeliveryList } from "../../../src/dashboard/contract/deliveries.ts";
import { count } from "../../words.ts";

interface Props {
  /** The answer for the page that is shown. */
  readonly list: DeliveryList | undefined;
  readonly search: URLSearchParams;
}

export function Total({ list, search }: Props) {
  // On an older page only its own rows are known.
  if (list === undefined || search.has("cursor")) return null;
  const words = count(list.deliveries.length, "delivery", "deliveries");
  return (
    <span className="text-sm whitespace-nowrap text-ink-soft tabular-nums">
      {list.nextCursor === null ? words : words.replace(" ", "+ ")}
    </span>
  );
}
