/**
 * Calls of one verb on PostgreSQL (see `../commit-calls.ts`). When the connection breaks during the commit, its outcome
 * is unknown: that too is answered `unavailable`.
 */
import type { Answer, Call, Failure } from "../calls.ts";
import { answerCalls, type Run, toFault, toUnavailable } from "../commit-calls.ts";
import { StoreUnavailable } from "../contract/store.ts";
import type { AttemptColumns } from "./attempts.ts";
import { toLoggedCause, describeFailure, isCollision, isStorageFailure } from "./failures.ts";
import type { Where } from "./buckets/bucket-text.ts";
import { wantsClaim } from "./path/events.ts";
import { EVERYWHERE } from "./buckets/groups.ts";
import { openLease, takeOverDoubted } from "./path/leases.ts";
import { commit, commitPath, type Database, readOnce, type Transaction } from "./transaction.ts";
import { JOINED_VERBS, type JoinedVerb, VERBS } from "./verbs.ts";

/** Nodes lock in one order, so collisions are rare; this number in a row is a fault of ours. */
const COLLISIONS_MAX = 5;

type PostgresCall = Call<AttemptColumns>;

export const commitCalls = (
  database: Database,
  calls: readonly PostgresCall[],
  where: Where = EVERYWHERE,
): Promise<Answer[]> =>
  answerCalls(calls, (batch) => runTogether(database, batch, { where, prepare: () => prepareHand(database, batch) }));

/**
 * The same in the room of a server, for calls that `prepareForRoom` has prepared: a takeover wants places in rooms
 * itself, and would never get one that a call holds which waits for it.
 */
export const commitInRoom = (database: Database, calls: readonly PostgresCall[], where: Where): Promise<Answer[]> =>
  answerCalls(calls, (batch) => runTogether(database, batch, { where, prepare: async () => {} }));

/** Returns why the calls cannot be made now; `null` when they can. */
export async function prepareForRoom(database: Database, calls: readonly PostgresCall[]): Promise<Failure | null> {
  try {
    await prepareHand(database, calls);
    return null;
  } catch (error) {
    return toFailure(error, calls);
  }
}

interface How {
  readonly where: Where;
  readonly prepare: () => Promise<void>;
}

async function runTogether(database: Database, calls: readonly PostgresCall[], { where, prepare }: How): Promise<Run> {
  for (let collisions = 0; ; collisions += 1) {
    try {
      await prepare();
      // A kept plan is for any values, and asks every server.
      const keepsPlans = !where.isOneOfSeveral && calls.every(({ verb }) => verb in JOINED_VERBS);
      const commitAll = keepsPlans ? commitPath : calls.every(isOneRead) ? readOnce : commit;
      const values = await commitAll(database, (tx) => runVerb(tx, calls), where);
      return { kind: "committed", values };
    } catch (error) {
      if (!isCollision(error) || collisions === COLLISIONS_MAX) return toFailure(error, calls);
    }
  }
}

/** A verb of one statement that only reads. */
const isOneRead = ({ verb }: PostgresCall): boolean => verb === "findNextDue" || verb === "countDestinations";

/** The lease that this node takes deliveries in hand under, and those that it cannot trust any more. */
async function prepareHand(database: Database, calls: readonly PostgresCall[]): Promise<void> {
  const { open } = database.node;
  if (open.doubted.size > 0) await takeOverDoubted(database);
  if (open.lease !== null) return;
  const accepts = calls.flatMap(({ params }) => ("events" in params && params.events.some(wantsClaim) ? params : []));
  const [first] = accepts;
  if (first !== undefined) await openLease(database, Math.min(...accepts.map(({ nowMs }) => nowMs)));
}

async function runVerb(tx: Transaction, calls: readonly PostgresCall[]): Promise<readonly unknown[]> {
  const [first] = calls;
  if (first === undefined) return [];
  // The compiler cannot see that the params are this verb's own; `storeOver`, which makes every call, made sure of it.
  if (first.verb in JOINED_VERBS) {
    const run = JOINED_VERBS[first.verb as JoinedVerb] as (tx: Transaction, params: unknown) => Promise<unknown[]>;
    return await run(
      tx,
      calls.map(({ params }) => params),
    );
  }
  const values: unknown[] = [];
  const run = VERBS[first.verb as keyof typeof VERBS] as (tx: Transaction, params: unknown) => Promise<unknown>;
  for (const { params } of calls) values.push(await run(tx, params));
  return values;
}

function toFailure(error: unknown, calls: readonly PostgresCall[]): Failure {
  const described = { text: describeFailure(error), cause: toLoggedCause(error) };
  const isUnavailable = error instanceof StoreUnavailable || isStorageFailure(error);
  return isUnavailable ? toUnavailable(described) : toFault(calls, described);
}
