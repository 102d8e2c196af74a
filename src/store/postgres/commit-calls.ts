/**
 * Calls on PostgreSQL that share a transaction (see `../calls.ts`): accepts and settlements, or one of another verb.
 * When the connection breaks during the commit, its outcome is unknown: that too is answered `unavailable`.
 */
import {
  type Answer,
  answerCalls,
  type Call,
  type FailedRun,
  type Run,
  toFault,
  toUnavailable,
  type VerbParams,
} from "../calls.ts";
import { StoreUnavailable, VERBS as VERBS_OF_CONTRACT } from "../contract/store.ts";
import type { Route } from "../contract/verb-table.ts";
import type { AttemptColumns } from "./attempts.ts";
import {
  AccountElsewhere,
  AccountsMoving,
  toLoggedCause,
  describeFailure,
  isCollision,
  isKnownKey,
  isStorageFailure,
} from "./failures.ts";
import { hasDueRecords } from "./inbox.ts";
import { wantsClaim } from "./path/events.ts";
import type { Fence } from "./path/fence.ts";
import { openLease, raiseForms, takeOverDoubted } from "./path/leases.ts";
import { commit, commitPath, type Database, endAll, read, readOnce, type Transaction } from "./transaction.ts";
import { loadPathState, type PathWork } from "./path/path-state.ts";
import { DIALECT, JOINED_VERBS, type JoinedVerb, VERBS } from "./verbs.ts";

/** Nodes lock in one order, so collisions are rare; this number in a row is a fault of ours. */
const AGAIN_MAX = 5;

/** A call whose account is in this shard as the directory says, or in none. */
export interface PostgresCall extends Call<AttemptColumns> {
  readonly mayBeMissing?: boolean;
}

/** Calls about accounts that are being moved are answered with `AccountsMoving`. */
export const commitCalls = (database: Database, calls: readonly PostgresCall[]): Promise<Answer[]> =>
  answerCalls(calls, (batch) => runTogether(database, batch));

async function runTogether(database: Database, calls: readonly PostgresCall[]): Promise<Run> {
  for (let again = 0; ; again += 1) {
    try {
      await prepareHand(database, calls);
      if (await isIdleLook(database, calls)) return { kind: "committed", values: [{ records: [], hasMore: false }] };
      if (calls.every(isOneRead)) {
        return { kind: "committed", values: await readOnce(database, (tx) => runCalls(tx, calls)) };
      }
      const commitAll = calls.every(isJoinedCall) ? commitPath : calls.every(isRead) ? read : commit;
      const values = await commitAll(database, findFence(calls), (tx) => runCalls(tx, calls));
      return { kind: "committed", values };
    } catch (error) {
      if (isKnownKey(error)) database.node.repeats.seen();
      else if (!isCollision(error)) return toFailure(error, calls);
      if (again === AGAIN_MAX) return toFailure(error, calls);
    }
  }
}

/** By what the contract says that a verb is about, so that no verb can forget it. */
export function findFence(calls: readonly PostgresCall[]): Fence {
  const accountIds: string[] = [];
  for (const call of calls) {
    const { kind } = VERBS_OF_CONTRACT[call.verb].route;
    if (kind === "home") return "nothing";
    if (kind === "token" || kind === "all") return calls.every(isRead) ? "nothing" : "shard";
    accountIds.push(...accountsOf(call));
  }
  // Accepts and settlements answer of each account by itself.
  const mayBeMissing = calls.every((call) => call.mayBeMissing === true || isJoinedCall(call));
  return { accountIds, mayBeMissing, reads: calls.every(isRead) };
}

/** The accounts that it is about, where it names them. */
export function accountsOf({ verb, params }: PostgresCall): readonly string[] {
  const route = VERBS_OF_CONTRACT[verb].route as Route<PostgresCall["params"], unknown>;
  if (route.kind === "account") {
    const accountId = route.accountOf(params);
    return accountId === null ? [] : [accountId];
  }
  return route.kind === "accounts" ? route.accountsOf(params) : [];
}

export const isRead = ({ verb }: PostgresCall): boolean => "reads" in VERBS_OF_CONTRACT[verb];

/** A verb of one statement that only reads. */
const isOneRead = ({ verb }: PostgresCall): boolean => verb === "findNextDue" || verb === "countDestinations";

/** A claim of the inbox that would find nothing: one statement says so. */
async function isIdleLook(database: Database, [call]: readonly PostgresCall[]): Promise<boolean> {
  if (call?.verb !== "claimInboxRecords") return false;
  const { nowMs } = call.params as VerbParams<"claimInboxRecords", AttemptColumns>;
  return !(await readOnce(database, (tx) => hasDueRecords(tx, nowMs)));
}

/**
 * The lease that this node takes deliveries into memory under, and those that it cannot trust any more. A claim needs
 * it too: it tells newer nodes what this one reads.
 */
async function prepareHand(database: Database, calls: readonly PostgresCall[]): Promise<void> {
  const { inMemory } = database.node;
  if (inMemory.doubted.size > 0) await takeOverDoubted(database);
  const writing = calls.flatMap(({ params }) => ("events" in params || "freeSlots" in params ? params : []));
  if (writing.length === 0) return;
  const nowMs = Math.min(...writing.map((params) => params.nowMs));
  await raiseForms(database, nowMs);
  if (inMemory.lease !== null) return;
  const isHolding = writing.some((params) => "freeSlots" in params || params.events.some(wantsClaim));
  if (isHolding) await openLease(database, nowMs);
}

// The compiler cannot see that params are their verb's own; `storeOver`, which makes every call, made sure of it.

async function runCalls(tx: Transaction, calls: readonly PostgresCall[]): Promise<readonly unknown[]> {
  if (calls.every(isJoinedCall)) return await runJoined(tx, calls);
  // Where the fence passes over an account its move's locks would be waited for.
  if (!calls.every(isRead)) await tx.fenced;
  const values: unknown[] = [];
  for (const call of calls) values.push(await runSingle(tx, call));
  return values;
}

/** Runs accepts and settlements side by side in one transaction: they share round trips and the rows that both read. */
async function runJoined(tx: Transaction, calls: readonly JoinedCall[]): Promise<readonly unknown[]> {
  const parts = [...Map.groupBy(calls, ({ verb }) => verb)].map(([verb, its]) => ({ its, work: begin(tx, verb, its) }));
  const needs = parts.map(({ work }) => work.needs);
  const state = loadPathState(tx, {
    destinationIds: needs.flatMap(({ destinationIds }) => destinationIds),
    leaseIds: needs.flatMap(({ leaseIds }) => leaseIds),
  });
  const loaded = endAll([state, tx.fenced]).then(([leases]) => leases);
  const answers = await endAll(parts.map(({ work }) => work.run(loaded)));
  const byCall = new Map(parts.flatMap(({ its }, part) => its.map((call, at) => [call, answers[part]?.[at]] as const)));
  return calls.map((call) => byCall.get(call));
}

function begin(tx: Transaction, verb: JoinedVerb, calls: readonly JoinedCall[]): PathWork<unknown> {
  const beginVerb = JOINED_VERBS[verb] as (tx: Transaction, params: unknown) => PathWork<unknown>;
  return beginVerb(
    tx,
    calls.map(({ params }) => params),
  );
}

async function runSingle(tx: Transaction, { verb, params }: PostgresCall): Promise<unknown> {
  const run = VERBS[verb as keyof typeof VERBS] as (
    tx: Transaction,
    params: unknown,
    dialect: typeof DIALECT,
  ) => Promise<unknown>;
  return await run(tx, params, DIALECT);
}

type JoinedCall = PostgresCall & { readonly verb: JoinedVerb };

export const isJoinedCall = (call: PostgresCall): call is JoinedCall => call.verb in JOINED_VERBS;

function toFailure(error: unknown, calls: readonly PostgresCall[]): FailedRun {
  const described = { text: describeFailure(error), cause: toLoggedCause(error) };
  if (error instanceof AccountElsewhere) return { kind: "fault", error };
  if (error instanceof AccountsMoving) {
    const isOfThem = (call: PostgresCall): boolean => accountsOf(call).some((id) => error.accountIds.includes(id));
    return { kind: "fault", error, failedCalls: new Set(calls.filter(isOfThem)) };
  }
  const isUnavailable = error instanceof StoreUnavailable || isStorageFailure(error);
  return isUnavailable ? toUnavailable(described) : toFault(calls, described);
}
