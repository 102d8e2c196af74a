/** Who hears of an attempt that changed its destination, in the settlement's transaction. */
import type { DestinationNow } from "../../domain/destination-now.ts";
import { isSame } from "../../domain/destination-now.ts";
import { findOutageNews, type Told, UNTOLD } from "../../domain/outage-news.ts";
import { writeNews } from "./mail-digests.ts";
import { tellOperator, type Turn } from "./operator-notices.ts";
import type { SqlTransaction } from "./transaction.ts";

/** Whether there is anything to write. Most attempts succeed at a healthy destination, and write nothing there. */
export const isNews = ({ before, after, nowMs }: Turn): boolean =>
  !isSame(before, after) || findOutageNews(before, after, nowMs) !== null;

/** Returns the destination with what its owner was told. The caller holds its lock, and with it its condition's. */
export async function tellOfAttempt(tx: SqlTransaction, destinationId: string, turn: Turn): Promise<DestinationNow> {
  if (!isSame(turn.before, turn.after)) await tellOperator(tx, destinationId, turn);
  return { ...turn.after, ...(await tellOwner(tx, destinationId, turn)) };
}

/** An outage counts as told only when an address was told: one that is confirmed during it is told then. */
async function tellOwner(tx: SqlTransaction, destinationId: string, { before, after, nowMs }: Turn): Promise<Told> {
  const news = findOutageNews(before, after, nowMs);
  const { accountId, isTold, toldAtMs } = before;
  if (news === null) return { isTold, toldAtMs };
  return (await writeNews(tx, { accountId, destinationId, kind: news.kind, nowMs })) ? news.told : UNTOLD;
}
