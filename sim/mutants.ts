/**
 * Bugs that the simulator must find: each is one that such an engine could have. They wrap what the engine works with;
 * production code has no switches for them. A mutant that no seed catches says that an invariant is missing.
 */
import type { AccountCache } from "../src/accounts/account-cache.ts";
import type { AccountView } from "../src/accounts/account-view.ts";
import type { DeliveryContext } from "../src/delivery/context.ts";
import { deliver } from "../src/delivery/deliver.ts";
import type { Lanes } from "../src/delivery/lanes/lanes.ts";
import type { SendResult } from "../src/domain/attempt.ts";
import { daysMs, secondsMs } from "../src/lib/duration.ts";
import { newUuid } from "../src/lib/random.ts";
import type { Claim, ClaimDueDeliveries, ClaimedDelivery, Settlement } from "../src/store/contract/path.ts";
import type { Store } from "../src/store/contract/store.ts";
import type { Connection } from "../src/store/sqlite/connection/connection.ts";
import type { Mutant } from "./mutant.ts";
import { MOVE_MUTANTS } from "./mutants-of-moves.ts";
import { SHARD_MUTANTS } from "./mutants-of-shards.ts";
import { changeAccounts, WEBHOOK_MUTANTS } from "./mutants-of-webhooks.ts";

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  ...SHARD_MUTANTS,
  ...MOVE_MUTANTS,
  ...WEBHOOK_MUTANTS,
  fence_dropped: {
    bug: "a settlement takes the delivery's newest claim instead of its own",
    onStore: dropFence,
  },
  acknowledged_before_commit: {
    bug: "an accept is answered when it is handed to the store, not when it is committed",
    onPort: (port) => ({
      ...port,
      async acceptEvents(params) {
        void port.acceptEvents(params).catch(() => {});
        return params.events.map(() => ({ kind: "accepted", unclaimed: [] }));
      },
    }),
  },
  repeats_accepted: {
    bug: "a record that is known already is accepted again",
    onPort: (port, { random }) => ({
      ...port,
      acceptEvents: (params) =>
        port.acceptEvents({
          ...params,
          events: params.events.map((event) => ({ ...event, sourceId: newUuid(random) })),
        }),
    }),
  },
  old_configuration_accepted: {
    bug: "an event that was routed with an old configuration is committed all the same",
    onStore: (store) => ({
      ...store,
      async acceptEvents(params) {
        const [first] = params.events;
        const account = first === undefined ? null : await store.loadAccount({ accountId: first.accountId });
        const configVersion = account?.configVersion ?? 0;
        return await store.acceptEvents({
          ...params,
          events: params.events.map((event) => ({ ...event, configVersion })),
        });
      },
    }),
  },
  configuration_never_read_again: {
    bug: "an account that is in memory stays as it is, whatever version a claim names",
    onContext: (ctx) => changeAccounts(ctx, { ...alwaysCurrent(ctx), forget: () => {}, confirm: () => {} }),
  },
  change_elsewhere_unnoticed: {
    bug: "a view stays current until a claim names a newer version",
    onContext: (ctx) => changeAccounts(ctx, { loadCurrent: ctx.accounts.load, isCurrent: () => true }),
  },
  confirmed_by_the_clock_of_the_answer: {
    bug: "a view counts as confirmed from when the answer came, not from when the question was asked",
    onContext: confirmLate,
  },
  checked_before_connecting: {
    bug: "whether a request may start is asked before its connection is opened",
    onContext: (ctx) => ({
      ...ctx,
      send: async (request, mayStart) => (mayStart() ? await ctx.send(request, () => true) : null),
    }),
  },
  own_change_unnoticed: {
    bug: "a node does not forget the account that it has just changed",
    onContext: (ctx) => changeAccounts(ctx, { forget: () => {} }),
  },
  claims_too_short: {
    bug: "a claim holds for three seconds",
    onPort: (port) => ({
      ...port,
      acceptEvents: (params) => port.acceptEvents({ ...params, claim: shortened(params) }),
      async claimDueDeliveries(params) {
        const claimed = await port.claimDueDeliveries({ ...params, claim: shortened(params) });
        return claimed.map((delivery) => ({ ...delivery, claim: params.claim }));
      },
    }),
  },
  claims_taken_early: {
    bug: "a node claims what another one holds for ten seconds more",
    onPort: (port) => ({
      ...port,
      claimDueDeliveries: (params) => port.claimDueDeliveries({ ...params, nowMs: params.nowMs + secondsMs(10) }),
    }),
  },
  settlement_forgotten: {
    bug: "one settlement in ten is never made",
    onPort: (port, { random }) => changeSettling(port, (settlement) => (random.happens(0.1) ? null : settlement)),
  },
  sent_again_after_success: {
    bug: "one success in ten is followed by another attempt",
    onPort: (port, { random, life }) =>
      changeSettling(port, (settlement) =>
        settlement.next.state === "delivered" && random.happens(0.1)
          ? { ...settlement, next: { state: "pending", dueAtMs: life.nowMs() } }
          : settlement,
      ),
  },
  server_error_counts_as_success: {
    bug: "any answer at all counts as a success",
    onPort: (port) =>
      changeSettling(port, (settlement) =>
        settlement.attempt.result.outcome.kind === "response"
          ? { ...settlement, next: { state: "delivered" } }
          : settlement,
      ),
  },
  given_up_early: {
    bug: "a delivery has failed after three attempts",
    onPort: (port) =>
      changeSettling(port, (settlement) =>
        settlement.attempt.number >= 3 && settlement.next.state === "pending"
          ? { ...settlement, next: { state: "failed" } }
          : settlement,
      ),
  },
  attempts_not_counted: {
    bug: "each attempt takes itself for the first",
    onStore: (store) => changeClaimed(store, (delivery) => ({ ...delivery, attemptsMade: 0, attemptsInSchedule: 0 })),
  },
  resent_without_schedule: {
    bug: "a delivery that is sent again goes on in the schedule where it had ended",
    onStore: (store) =>
      changeClaimed(store, (delivery) => ({ ...delivery, attemptsInSchedule: delivery.attemptsMade })),
  },
  replay_frozen_twice: {
    bug: "a replay has each of its deliveries twice",
    onStore: (store) => ({
      ...store,
      async createReplay(params) {
        await store.createReplay({ ...params, id: `${params.id}-2` });
        return await store.createReplay(params);
      },
    }),
  },
  replay_not_cancelled: {
    bug: "a cancelled replay goes on",
    onStore: (store) => ({ ...store, setReplayState: () => Promise.resolve("changed") }),
  },
  waiting_purged: {
    bug: "the payload of a delivery goes after a day, whether it still waits or not",
    onStore: (store) =>
      changeClaimed(store, (delivery) =>
        delivery.claim.untilMs - delivery.pendingSinceMs > daysMs(1) ? { ...delivery, body: "" } : delivery,
      ),
  },
  shortage_charged: {
    bug: "an attempt that could not be made for want of files spends one of the delivery's ten",
    onPort: (port) => changeSettling(port, (settlement) => ({ ...settlement, isFree: false })),
  },
  gone_ignored: {
    bug: "410 does not turn the destination off",
    onPort: (port) => changeSettling(port, (settlement) => ({ ...settlement, destinationOff: null })),
  },
  retry_after_ignored: {
    bug: "Retry-After is not read",
    onContext: (ctx) => ({ ...ctx, send: async (...wanted) => withoutRetryAfter(await ctx.send(...wanted)) }),
  },
  hold_forgotten: {
    bug: "Retry-After puts off one delivery, not its destination",
    onPort: (port) => changeSettling(port, (settlement) => ({ ...settlement, holdUntilMs: null })),
  },
  jitter_forgotten: {
    bug: "retries come exactly on schedule, all at once",
    onContext: (ctx) => ({ ...ctx, schedule: { ...ctx.schedule, jitter: 0 } }),
  },
  body_rebuilt: {
    bug: "the body is built again for each attempt, with the time in it",
    onPort: (port, { life }) =>
      changeClaimed(port, (delivery) => ({
        ...delivery,
        body: delivery.body.replace(/}$/, `,"sent_at":${life.nowMs()}}`),
      })),
  },
  signed_with_another_secret: {
    bug: "the signature is made with the first secret that the node has seen",
    onContext: (ctx) => {
      let secrets: AccountView["secrets"] | null = null;
      return changeAccounts(ctx, {
        async loadCurrent(accountId, versionMin) {
          const view = await ctx.accounts.loadCurrent(accountId, versionMin);
          secrets ??= view?.secrets ?? null;
          return view === null || secrets === null ? view : { ...view, secrets };
        },
      });
    },
  },
  sent_twice_when_broken: {
    bug: "a request whose connection breaks is sent again at once, as HTTP clients like to do",
    onContext: (ctx) => ({
      ...ctx,
      async send(...wanted) {
        const result = await ctx.send(...wanted);
        return result?.outcome.kind === "network_error" ? await ctx.send(...wanted) : result;
      },
    }),
  },
  no_deadline: {
    bug: "an attempt has no deadline",
    deadlineMs: Infinity,
  },
  in_memory_deliveries_forgotten: {
    bug: "a start does not take up what the dead process had in memory",
    onDatabase: (db) => changeReads(db, "list deliveries of the newest events", () => []),
  },
  low_water_mark_too_far: {
    bug: "the low-water mark lies behind the newest in-memory delivery",
    onDatabase: (db) =>
      changeRuns(db, "save low-water mark of in-memory deliveries", (run, sql, from) =>
        run(sql, Number(from) + 1_000_000),
      ),
  },
  counted_twice: {
    bug: "deltas that are rolled up stay",
    onDatabase: (db) => changeRuns(db, "delete deltas of attempts", () => 0),
  },
  counts_lost: {
    bug: "deltas are deleted and not added to their counters",
    onDatabase: (db) => changeRuns(db, "save count in", () => 0),
  },
  counts_unread: {
    bug: "a settling commit writes no deltas",
    onDatabase: (db) => changeRuns(db, "insert delta of attempts", () => 0),
  },
  in_memory_deliveries_never_lapse: {
    bug: "a claim of an in-memory delivery never runs out",
    onDatabase(db) {
      const all = db.inMemory.all.bind(db.inMemory);
      db.inMemory.all = function* () {
        for (const delivery of all())
          yield { ...delivery, claim: { ...delivery.claim, untilMs: Number.MAX_SAFE_INTEGER } };
      };
      return db;
    },
  },
  settled_and_still_in_memory: {
    bug: "a delivery stays in memory after its settlement",
    onDatabase(db) {
      db.inMemory.remove = () => {};
      return db;
    },
  },
  keys_not_written: {
    bug: "an accept writes no key against repeats",
    onDatabase: (db) => changeRuns(db, "insert event key", () => 1),
  },
  one_pool: {
    bug: "all destinations share one small pool of places",
    deliveriesMax: 3,
  },
  lane_passed_by: {
    bug: "the fast path sends at once, past the lane",
    onAcceptingEngine: (engine, ctx) => ({
      ...engine,
      lanes: changeLanes(engine.lanes, {
        reserve: () => true,
        release: () => {},
        putReserved: (delivery) => void deliver(ctx, delivery).catch(() => {}),
      }),
    }),
  },
  reserved_place_lost: {
    bug: "a place that was reserved for an accept that failed is never given back",
    onAcceptingEngine: (engine) => ({ ...engine, lanes: changeLanes(engine.lanes, { release: () => {} }) }),
  },
};

/** The statement is known by its name. */
function changeReads(db: Connection, name: string, change: (rows: never[]) => never[]): Connection {
  const all: Connection["all"] = (sql, ...values) => {
    const rows = db.all<never>(sql, ...values);
    return sql.includes(name) ? change(rows) : rows;
  };
  return { ...db, all };
}

type Run = Connection["run"];

function changeRuns(db: Connection, name: string, change: (run: Run, ...call: Parameters<Run>) => number): Connection {
  const run: Run = (sql, ...values) => (sql.includes(name) ? change(db.run, sql, ...values) : db.run(sql, ...values));
  return { ...db, run };
}

/** The node itself believes in the claim that it asked for. */
const shortened = ({ claim, nowMs }: Pick<ClaimDueDeliveries, "claim" | "nowMs">): Claim => ({
  token: claim.token,
  untilMs: nowMs + secondsMs(3),
});

function dropFence(store: Store): Store {
  const tokens = new Map<string, string>();
  return {
    ...changeClaimed(store, (delivery) => {
      tokens.set(delivery.id, delivery.claim.token);
      return delivery;
    }),
    settleAttemptsIfClaimed: ({ nowMs, settlements }) =>
      store.settleAttemptsIfClaimed({
        nowMs,
        settlements: settlements.map((settlement) => ({
          ...settlement,
          claimToken: tokens.get(settlement.deliveryId) ?? settlement.claimToken,
        })),
      }),
  };
}

/** `null`: the settlement is not made, and the engine is told that it was. */
function changeSettling(store: Store, change: (settlement: Settlement) => Settlement | null): Store {
  return {
    ...store,
    async settleAttemptsIfClaimed({ nowMs, settlements }) {
      const changed = settlements.flatMap((settlement) => change(settlement) ?? []);
      if (changed.length < settlements.length)
        return settlements.map(() => ({ kind: "settled", heldUntilMs: 0, turnedOff: null }));
      return await store.settleAttemptsIfClaimed({ nowMs, settlements: changed });
    },
  };
}

function changeClaimed(store: Store, change: (delivery: ClaimedDelivery) => ClaimedDelivery): Store {
  return {
    ...store,
    claimDueDeliveries: async (params) => (await store.claimDueDeliveries(params)).map(change),
  };
}

function confirmLate(ctx: DeliveryContext): DeliveryContext {
  const { clock, accounts } = ctx;
  const confirm: AccountCache["confirm"] = (accountId, { configVersion }) =>
    accounts.confirm(accountId, { configVersion, askedMs: clock.monotonicMs() });
  return changeAccounts(ctx, {
    confirm,
    async loadCurrent(accountId, versionMin) {
      const askedMs = clock.monotonicMs();
      const view = await accounts.loadCurrent(accountId, versionMin);
      // A cached view took no time.
      if (view !== null && clock.monotonicMs() > askedMs) confirm(accountId, { ...view, askedMs });
      return view;
    },
  });
}

/** The view in memory, whatever version is asked for. */
const alwaysCurrent = ({ accounts }: DeliveryContext): Partial<AccountCache> => ({
  load: (accountId) => accounts.load(accountId),
  loadCurrent: (accountId) => accounts.load(accountId),
  isCurrent: () => true,
});

type LaneVerbs = Pick<Lanes, "reserve" | "release" | "putReserved">;

/** The part of the lanes that accepting uses; a class with private fields cannot be spread. */
function changeLanes(lanes: Lanes, changes: Partial<LaneVerbs>): Lanes {
  const verbs = {
    reserve: lanes.reserve.bind(lanes),
    release: lanes.release.bind(lanes),
    putReserved: lanes.putReserved.bind(lanes),
    noteBacklog: lanes.noteBacklog.bind(lanes),
    noteOrdered: lanes.noteOrdered.bind(lanes),
    admission: lanes.admission,
  };
  return { ...verbs, ...changes } as unknown as Lanes;
}

function withoutRetryAfter(result: SendResult | null): SendResult | null {
  if (result?.outcome.kind !== "response") return result;
  const { response } = result.outcome;
  const { "retry-after": _, ...headers } = response.headers;
  return { ...result, outcome: { kind: "response", response: { ...response, headers } } };
}
