/**
 * How many deliveries the filters find. One page counts itself; behind a longer list the service counts, up to a bound,
 * and beyond it the words say so.
 */
import type { DeliveryList, DeliveryQuery } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswerWhen } from "../../query.ts";
import { totalInWords } from "./total-words.ts";

interface Props {
  /** The answer for the page that is shown. */
  readonly list: DeliveryList | undefined;
  /** The question that it answers. */
  readonly query: DeliveryQuery;
}

/** A guess: a busy account grows all the time, and each count costs up to some tens of milliseconds. */
const AGAIN_MS = 15_000;

export function Total({ list, query }: Props) {
  const { cursor, ...everyPage } = query;
  const isOnePage = cursor === undefined && list?.nextCursor === null;
  const wanted = list === undefined || isOnePage ? null : { query: everyPage };
  const total = useAnswerWhen("GET /deliveries/total", wanted, { againMs: AGAIN_MS });
  if (list === undefined) return null;
  const words = totalInWords({ rows: list.deliveries.length, isOnePage, total: total.data });
  return <span className="text-sm whitespace-nowrap text-ink-soft tabular-nums">{words}</span>;
}
