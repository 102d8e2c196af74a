/**
 * A store's promises to several nodes that use one database at once: races on the real thing, by whatever way the
 * nodes reach it.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { makeAlert } from "../../../test/kit/make.ts";
import { type SharedCluster, untilSomeoneWaits } from "../../../test/kit/servers/postgres.ts";
import { hoursMs } from "../../lib/duration.ts";
import { createSeededRandom } from "../../../test/kit/world/seeded-random.ts";
import {
  ACCEPTED,
  ACCOUNT,
  ADA,
  accept,
  BODY,
  claimAt,
  claimIds,
  findDestination,
  due,
  makeEvent,
  held,
  LEASE_MS,
  openBreaker,
  setUp,
  makeAttempt,
  makeSettlement,
  OUR_FAULT,
  T0,
  loadVersion,
  requestOneResend,
} from "./world.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;

/** A database that several nodes use at once. */
export interface SharedDatabase {
  /** Another node, by the way that is to be proven. */
  openNode(): Promise<Store>;
  /** Straight to the server, to look and to be in the way. */
  readonly cluster: Pick<SharedCluster, "query" | "emptyStore">;
  readonly url: string;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

/** Destinations whose bound lies behind something that waits: a claim would miss it. */
const LIST_MISSED = `
  select d.id from bellwire.destinations d
  where exists (
    select 1 from bellwire.deliveries
    where destination_id = d.id and state = 'pending' and due_at < coalesce(d.next_due_at, 9e18)
  )`;

/** Registers the races. `shared` is asked once a test runs; the nodes are closed by the suite. */
export function describeNodes(name: string, shared: () => SharedDatabase): void {
  /** A test body with two nodes on one empty database. */
  function onTwoNodes(run: (one: Store, other: Store) => Promise<void>): () => Promise<void> {
    return async () => {
      const { openNode, cluster, url } = shared();
      await using one = await openNode();
      await using other = await openNode();
      await cluster.emptyStore(url);
      await run(one, other);
    };
  }

  const listMissed = (): Promise<unknown[]> => shared().cluster.query(shared().url, LIST_MISSED);

  describe(name, () => {
    describe("claims of several nodes", () => {
      test(
        "come to what was claimed at a later time than a node that starts now knows of",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a"]);
          const events = numbers(3).map((n) => makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] }));
          await accept(one, events);
          const limits = { deliveriesMax: 1 };
          assert.deepEqual(await claimIds(one, T0 + hoursMs(1), limits), ["dlv_1"]);
          assert.deepEqual(await claimIds(other, T0 + 9, limits), ["dlv_2"]);
        }),
      );

      test(
        "never get the same delivery, and get all",
        onTwoNodes(async (one, other) => {
          const destinations = numbers(10).map((n) => `dst_${n}`);
          const configVersion = await setUp(one, destinations);
          const events = numbers(400).map((n) =>
            makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, `dst_${1 + (n % 10)}`)] }),
          );
          await accept(one, events);
          const limits = { deliveriesMax: 13, perDestinationMax: 4 };
          const claimAll = async (store: Store, token: string): Promise<string[]> => {
            const all: string[] = [];
            for (let misses = 0; misses < 3;) {
              const ids = await claimIds(store, T0 + 9, { ...limits, claim: claimAt(T0 + 9, token) });
              misses = ids.length === 0 ? misses + 1 : 0;
              all.push(...ids);
            }
            return all;
          };
          const stores = [one, other, one, other];
          const claims = await Promise.all(stores.map((store, place) => claimAll(store, `token ${place}`)));
          assert.equal(claims.flat().length, 400);
          assert.equal(new Set(claims.flat()).size, 400);
        }),
      );

      test(
        "of a node that died are taken by the others when they run out, and its late settlement is refused",
        onTwoNodes(async (dead, other) => {
          const configVersion = await setUp(dead, ["dst_a"]);
          await accept(dead, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
          assert.deepEqual(await claimIds(other, T0 + LEASE_MS - 1), []);
          const later = T0 + LEASE_MS;
          assert.deepEqual(await claimIds(other, later, { claim: claimAt(later, "other") }), ["dlv_1"]);
          const late = await dead.settleAttemptsIfClaimed({ nowMs: later, settlements: [makeSettlement("dlv_1")] });
          assert.deepEqual(late, [{ kind: "claim_lost" }]);
        }),
      );

      test(
        "get one trial between them",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a"]);
          await openBreaker(one, "dst_a");
          await accept(
            one,
            numbers(5).map((n) => makeEvent(n, { configVersion, deliveries: [due(`dlv_${n}`, "dst_a")] })),
          );
          const claims = [one, other, one, other].map((store, n) =>
            claimIds(store, T0 + 30_000, { claim: claimAt(T0 + 30_000, `token ${n}`) }),
          );
          assert.equal((await Promise.all(claims)).flat().length, 1);
        }),
      );
    });

    describe("accepts of several nodes", () => {
      test(
        "at once, in opposite order: each event once, and the other node names it",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a"]);
          const makeEvents = (node: string) =>
            numbers(60).map((n) => {
              const deliveries = [due(`dlv_${node}_${n}`, "dst_a")];
              return makeEvent(n, { id: `evt_${node}_${n}`, configVersion, deliveries });
            });
          const [ones, others] = await Promise.all([
            accept(one, makeEvents("one")),
            accept(other, makeEvents("other").toReversed()).then((answers) => answers.toReversed()),
          ]);
          for (const [place, answer] of ones.entries()) {
            const pair = [answer, others[place]];
            const winner = answer.kind === "accepted" ? "one" : "other";
            const duplicate = {
              kind: "duplicate",
              eventId: `evt_${winner}_${place + 1}`,
              deliveries: 1,
              differs: false,
            };
            assert.deepEqual(winner === "one" ? pair : pair.toReversed(), [ACCEPTED, duplicate]);
          }
          assert.equal((await one.countWaiting({ nowMs: T0 })).waiting, 60);
        }),
      );

      test(
        "see a change of the set-up that any node has saved",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a"]);
          const change = { accountId, destinationId: "dst_a", by: ADA, reason: "", nowMs: T0 } as const;
          assert.equal(await one.setDestinationState({ ...change, state: "paused" }), "changed");
          const deliveries = [held("dlv_1", "dst_a")];
          assert.deepEqual(await accept(other, [makeEvent(1, { configVersion, deliveries })]), [
            { kind: "config_changed" },
          ]);
          const fresh = makeEvent(1, { configVersion: await loadVersion(other), deliveries });
          assert.deepEqual(await accept(other, [fresh]), [{ kind: "accepted", unclaimed: ["dlv_1"] }]);
        }),
      );
    });

    test(
      "a claim that finds nothing does not hide what an accept is inserting at that moment",
      onTwoNodes(async (one, other) => {
        const configVersion = await setUp(one, ["dst_a"]);
        // Leaves a bound with nothing behind it: an accept for later need not lower it.
        await accept(one, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
        await one.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
        const locked = await lockTable(shared().url, "event_keys");
        const accepting = accept(
          one,
          [makeEvent(2, { configVersion, deliveries: [due("dlv_2", "dst_a")] })],
          T0 + LEASE_MS,
        );
        await untilSomeoneWaits(shared().cluster, shared().url);
        assert.deepEqual(await claimIds(other, T0 + LEASE_MS), []);
        await locked[Symbol.asyncDispose]();
        assert.deepEqual(await accepting, [ACCEPTED]);
        assert.deepEqual(await listMissed(), []);
        assert.deepEqual(await claimIds(other, T0 + LEASE_MS), ["dlv_2"]);
      }),
    );

    test(
      "whatever accepts, claims, retries and resends of two nodes do at once, no bound hides what waits",
      onTwoNodes(async (one, other) => {
        const random = createSeededRandom(5);
        const configVersion = await setUp(one, ["dst_a", "dst_b"]);
        const stores = [one, other];
        const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random.unit() * items.length)] as Item;
        let last = 0;
        const step = async (nowMs: number): Promise<void> => {
          const id = `dlv_${(last += 1)}`;
          const delivery = pick([due, held])(id, pick(["dst_a", "dst_b"]));
          await accept(pick(stores), [makeEvent(last, { configVersion, deliveries: [delivery] })], nowMs);
          const claim = claimAt(nowMs, `token ${last}`);
          const claimed = await claimIds(pick(stores), nowMs, { claim, deliveriesMax: 3 });
          const next = { state: "pending", dueAtMs: nowMs + pick([0, 5, 50]) } as const;
          const parts = { claimToken: claim.token, isFree: true };
          const settlements = claimed.map((deliveryId, place) =>
            makeSettlement(deliveryId, { ...parts, attempt: attemptNumbered(), ...(place === 0 ? { next } : {}) }),
          );
          await pick(stores).settleAttemptsIfClaimed({ nowMs, settlements });
          const [resent = id] = claimed.slice(1);
          await requestOneResend(pick(stores), { accountId, deliveryId: resent, by: ADA, nowMs });
        };
        let attempts = 0;
        const attemptNumbered = () => makeAttempt((attempts += 1), { outcome: OUR_FAULT });
        for (let round = 0; round < 25; round += 1) {
          await Promise.all(numbers(6).map(() => step(T0 + round)));
          assert.deepEqual(await listMissed(), [], `round ${round}`);
        }
        const far = T0 + 10 * LEASE_MS;
        const { waiting } = await one.countWaiting({ nowMs: far });
        assert.ok(waiting > 25, `${waiting} wait`);
        assert.equal((await claimIds(other, far)).length, waiting);
      }),
    );

    describe("changes that two nodes make at once", () => {
      test(
        "of a setting that each saves unless it is there, all are told the same one",
        onTwoNodes(async (one, other) => {
          const nodes = numbers(20).map((n) => (n % 2 === 0 ? one : other));
          const save = (store: Store, n: number) => store.saveSettingUnlessThere({ name: "first", value: String(n) });
          const saved = await Promise.all(nodes.map(save));
          assert.equal(saved.filter(({ isNew }) => isNew).length, 1);
          assert.equal(new Set(saved.map(({ value }) => value)).size, 1);
        }),
      );

      test(
        "failures of one destination are all counted: eight open its breaker",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a", "dst_b"]);
          const nodeOf = (n: number) => (n % 2 === 0 ? one : other);
          for (const n of numbers(8)) {
            await accept(nodeOf(n), [makeEvent(n, { configVersion, deliveries: [held(`dlv_${n}`, "dst_a")] })]);
          }
          const fail = (n: number) => {
            const settlements = [makeSettlement(`dlv_${n}`, { next: { state: "failed" } })];
            return nodeOf(n).settleAttemptsIfClaimed({ nowMs: T0, settlements });
          };
          const answers = (await Promise.all(numbers(8).map(fail))).flat();
          const opened = answers.filter((answer) => answer.kind === "settled" && answer.heldUntilMs > 0);
          assert.equal(opened.length, 1);
        }),
      );

      test(
        "a destination that is gone is turned off once, and its version grows once",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a"]);
          await accept(one, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
          await accept(other, [makeEvent(2, { configVersion, deliveries: [held("dlv_2", "dst_a")] })]);
          const makeGone = (id: string) => [makeSettlement(id, { next: { state: "failed" }, destinationOff: "gone" })];
          const answers = await Promise.all([
            one.settleAttemptsIfClaimed({ nowMs: T0, settlements: makeGone("dlv_1") }),
            other.settleAttemptsIfClaimed({ nowMs: T0, settlements: makeGone("dlv_2") }),
          ]);
          const turnedOff = answers.flat().map((answer) => (answer.kind === "settled" ? answer.turnedOff : "lost"));
          assert.deepEqual(
            turnedOff.filter((reason) => reason !== null),
            ["gone"],
          );
          assert.equal(await loadVersion(other), configVersion + 1);
          assert.equal((await findDestination(one, "dst_a"))?.state, "off");
        }),
      );

      test(
        "a resend goes out once",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a"]);
          await accept(one, [makeEvent(1, { configVersion, deliveries: [held("dlv_1", "dst_a")] })]);
          await one.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
          const resend = (store: Store) =>
            requestOneResend(store, { accountId, deliveryId: "dlv_1", by: ADA, nowMs: T0 });
          const answers = await Promise.all([one, other, one, other].map(resend));
          assert.deepEqual(answers, ["queued", "queued", "queued", "queued"]);
          const [claimed, again] = await Promise.all([one, other].map((store) => claimIds(store, T0)));
          assert.deepEqual([...(claimed ?? []), ...(again ?? [])], ["dlv_1"]);
          assert.deepEqual((await one.loadDelivery({ accountId, deliveryId: "dlv_1" }))?.attemptsInSchedule, 0);
        }),
      );

      test(
        "a payload is purged or sent again, never both",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a"]);
          const ids = numbers(40).map((n) => `dlv_${n}`);
          await accept(
            one,
            ids.map((id, n) => makeEvent(n, { configVersion, deliveries: [held(id, "dst_a")] })),
          );
          await one.settleAttemptsIfClaimed({ nowMs: T0, settlements: ids.map((id) => makeSettlement(id)) });
          const never = { attemptBodiesBeforeMs: 0, rowsBeforeMs: 0 };
          const purge = () => other.purge({ nowMs: T0, payloadsBeforeMs: T0 + 1, rowsMax: 3, ...never });
          const resend = (deliveryId: string) => requestOneResend(one, { accountId, deliveryId, by: ADA, nowMs: T0 });
          const [answers] = await Promise.all([Promise.all(ids.map(resend)), Promise.all(numbers(20).map(purge))]);
          for (const [place, deliveryId] of ids.entries()) {
            const loaded = await one.loadDelivery({ accountId, deliveryId });
            const expected = answers[place] === "queued" ? ["pending", BODY] : ["delivered", null];
            assert.deepEqual([loaded?.state, loaded?.body], expected);
          }
        }),
      );

      test(
        "a replay moves each of its deliveries once, however many nodes step it",
        onTwoNodes(async (one, other) => {
          const configVersion = await setUp(one, ["dst_a"]);
          const ids = numbers(30).map((n) => `dlv_${n}`);
          await accept(
            one,
            ids.map((id, n) => makeEvent(n, { configVersion, deliveries: [held(id, "dst_a")] })),
          );
          await one.settleAttemptsIfClaimed({ nowMs: T0, settlements: ids.map((id) => makeSettlement(id)) });
          const filter = { states: ["delivered"] } as const;
          const limits = { deliveriesMax: 99, ratePerSecond: 10, startPaused: false };
          const replay = { accountId, id: "rpl_1", filter, by: ADA, ...limits };
          const nowMs = T0 + 60_000;
          const created = await Promise.all([one, other].map((store) => store.createReplay({ ...replay, nowMs })));
          assert.deepEqual(created, [{ deliveries: 30 }, { deliveries: 30 }]);
          const stepAt = (elapsedMs: number) =>
            [one, other].map((store) => store.stepReplays({ nowMs: nowMs + elapsedMs, deliveriesMax: 99 }));
          let moved = 0;
          for (const second of numbers(4)) {
            for (const step of await Promise.all(stepAt(second * 1_000))) moved += step.moved;
            assert.equal(moved, Math.min(second * 10, 30));
          }
          assert.equal((await one.countWaiting({ nowMs })).waiting, 30);
        }),
      );

      test(
        "of two edits of one revision one is saved, and the other says so",
        onTwoNodes(async (one, other) => {
          await setUp(one, []);
          const alert = makeAlert({ name: "A" });
          const save = (store: Store, expectedRevision: number | null) =>
            store.saveAlert({
              accountId,
              alert,
              destination: null,
              expectedRevision,
              alertsMax: 9,
              by: ADA,
              nowMs: T0,
            });
          const created = await Promise.all([save(one, null), save(other, null)]);
          assert.deepEqual(created.map(({ kind }) => kind).toSorted(), ["edited_meanwhile", "saved"]);
          const edited = await Promise.all([save(one, 1), save(other, 1)]);
          assert.deepEqual(edited.map(({ kind }) => kind).toSorted(), ["edited_meanwhile", "saved"]);
        }),
      );
    });
  });
}

/** Holds a table as a backup tool might, until it is disposed of. */
async function lockTable(url: string, table: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`begin; lock table bellwire.${table} in share mode`);
  return { [Symbol.asyncDispose]: () => client.end() };
}
