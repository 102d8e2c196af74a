/**
 * The fate of each record in a batch from the inbox: it is read as a call's record would be, and accepted together with
 * the others of its account and type. A failing record does not harm the others: each record of a group that threw is
 * tried again alone, a limited number of times.
 */
import type { Acceptance, GivenRecord } from "../delivery/accept.ts";
import type { InboxReport } from "./report.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Problem, type Result, problem } from "../domain/problem.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { Clock } from "../lib/clock.ts";
import type { InboxRecord } from "../store/contract/inbox.ts";
import { StoreUnavailable } from "../store/contract/store.ts";

export type Fate =
  | { readonly kind: "accepted"; readonly duplicate: boolean }
  /** The record becomes no event. */
  | { readonly kind: "refused"; readonly problem: Problem }
  /** The product may be about to create the account: that call and this record's transaction are independent. */
  | { readonly kind: "account_missing" }
  /** A bug threw. */
  | { readonly kind: "failed" }
  /** The store went away. If the commit had happened all the same, the record's row is gone. */
  | { readonly kind: "unavailable" };

export interface FatesContext {
  readonly types: EventTypes;
  readonly accept: (accountId: string, records: readonly GivenRecord[]) => Promise<Result<readonly Acceptance[]>>;
  readonly clock: Clock;
  readonly report: Pick<InboxReport, "failed">;
}

export async function decideFates(
  ctx: FatesContext,
  records: readonly InboxRecord[],
): Promise<ReadonlyMap<InboxRecord, Fate>> {
  const fates = new Map<InboxRecord, Fate>();
  const readable = records.flatMap((record) => {
    const read = readRecord(ctx, record);
    if (read.kind === "read") return [read];
    fates.set(record, read);
    return [];
  });
  const groups = Map.groupBy(readable, ({ record: { accountId, type } }) => `${type} ${accountId}`);
  // At the same time, so that the store joins them into few commits.
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const decided = await acceptGroup(ctx, group);
      for (const [place, { record }] of group.entries()) fates.set(record, decided[place] ?? { kind: "failed" });
    }),
  );
  for (const [record, fate] of fates) fates.set(record, endOfPatience(ctx, record, fate));
  return fates;
}

interface Readable {
  readonly kind: "read";
  readonly record: InboxRecord;
  readonly given: GivenRecord;
}

function readRecord(ctx: FatesContext, record: InboxRecord): Readable | Fate {
  // Nodes have died while they processed this record.
  if (record.tries > LIMITS.inboxTriesMax) return { kind: "refused", problem: FAILED_TOO_OFTEN };
  try {
    const type = ctx.types.find(record.type);
    if (type === undefined) return { kind: "refused", problem: ctx.types.refuse(record.type) };
    const parsed = type.parse(record.record);
    if (!parsed.ok) return { kind: "refused", problem: parsed.error };
    return { kind: "read", record, given: { ...parsed.value, inboxSeq: record.seq } };
  } catch (error) {
    ctx.report.failed({ what: `reading record ${record.seq} of the inbox`, error });
    return { kind: "failed" };
  }
}

/** One fate for each record, in order. */
async function acceptGroup(ctx: FatesContext, group: readonly Readable[]): Promise<readonly Fate[]> {
  const [first] = group;
  if (first === undefined) return [];
  const { accountId, seq } = first.record;
  const all = (fate: Fate): Fate[] => group.map(() => fate);
  try {
    const accepted = await ctx.accept(
      accountId,
      group.map(({ given }) => given),
    );
    if (accepted.ok) return accepted.value.map(({ duplicate }) => ({ kind: "accepted", duplicate }));
    const isMissing = accepted.error.code === "account_not_found";
    return all(isMissing ? { kind: "account_missing" } : { kind: "refused", problem: accepted.error });
  } catch (error) {
    ctx.report.failed({ what: `accepting ${group.length} records of the inbox, ${seq} the first`, error });
    return all({ kind: error instanceof StoreUnavailable ? "unavailable" : "failed" });
  }
}

/** Every record has a last try. */
function endOfPatience({ clock }: FatesContext, record: InboxRecord, fate: Fate): Fate {
  const { accountId, emittedAtMs, tries } = record;
  if (fate.kind === "failed" && tries >= LIMITS.inboxTriesMax) return { kind: "refused", problem: FAILED_TOO_OFTEN };
  const isLost = fate.kind === "account_missing" && clock.nowMs() - emittedAtMs >= LIMITS.inboxAccountWaitMs;
  return isLost ? { kind: "refused", problem: accountStayedAway(accountId) } : fate;
}

const FAILED_TOO_OFTEN: Problem = problem(
  "internal_error",
  `Bellwire failed over this record ${LIMITS.inboxTriesMax} times; its log says how. It is no fault of the record's.`,
);

const accountStayedAway = (accountId: string): Problem =>
  problem(
    "account_not_found",
    `There is no account ${accountId}, and none was put within an hour of the record. Put it, and emit again.`,
  );
