import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import pg from "pg";
import { type Cluster, startCluster } from "../../../test/kit/servers/postgres.ts";
import { LIMITS } from "../../domain/limits.ts";
import { problem } from "../../domain/problem.ts";
import { systemClock } from "../../lib/clock.ts";
import { ACCEPTED, ACCOUNT, accept, due, makeEvent, purgeNow, setUp, uuid } from "../conformance/world.ts";
import type { InboxRecord } from "../contract/inbox.ts";
import type { Store } from "../contract/store.ts";
import { openPostgresStore } from "./open.ts";

const accountId = ACCOUNT.id;
const LEASE_MS = 30_000;

let cluster: Cluster;
let url: string;
let store: Store;
/** The product's own session, as a role that has been granted what the documentation says and nothing else. */
let product: pg.Client;

before(async () => {
  cluster = await startCluster();
  url = await cluster.createDatabase();
  ({ store } = await openPostgresStore({ url, clock: systemClock }));
  await cluster.query(url, GRANTS);
  product = new pg.Client({ connectionString: url.replace(/user=\w+/, "user=product") });
  await product.connect();
});
beforeEach(() => cluster.emptyStore(url));
after(async () => {
  await product.end();
  await store[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const GRANTS = `
  create role product login;
  create table public.orders (id integer);
  grant all on public.orders to product;
  grant usage on schema bellwire to product;
  grant execute on function bellwire.emit(text, text, jsonb) to product;
  grant execute on function bellwire.emit_demo_session(text, jsonb) to product;
  grant execute on function bellwire.emit_chat_conversation(text, jsonb) to product;`;

async function emit(record: unknown = {}, account: string | null = accountId): Promise<number> {
  const { rows } = await product.query<{ seq: string }>("select bellwire.emit_demo_session($1, $2) as seq", [
    account,
    record,
  ]);
  return Number(rows[0]?.seq);
}

/** After everything that has been emitted by now. */
const soonMs = (): number => systemClock.nowMs() + 1_000;

async function claim(parts: { nowMs?: number; token?: string; recordsMax?: number; bytesMax?: number } = {}) {
  const { nowMs = soonMs(), token = "token", recordsMax = 100, bytesMax = 10 ** 6 } = parts;
  return await store.claimInboxRecords({
    nowMs,
    claim: { token, untilMs: nowMs + LEASE_MS },
    recordsMax,
    bytesMax,
  });
}

const listSeqs = (records: readonly InboxRecord[]): number[] => records.map(({ seq }) => seq);
const claimSeqs = async (parts: Parameters<typeof claim>[0] = {}) => listSeqs((await claim(parts)).records);
const countAll = () => store.countInbox({ refusedFromMs: 0 });

describe("emitting", () => {
  test("is part of the product's transaction: a commit brings the record, a roll-back nothing", async () => {
    await product.query("begin; insert into orders values (1)");
    await emit({ id: uuid(1) });
    await product.query("rollback");
    assert.equal((await countAll()).waiting, 0);
    await product.query("begin; insert into orders values (1)");
    const seq = await emit({ b: 1.5, a: "ü" });
    assert.deepEqual((await claim()).records, [], "nobody sees it before the commit");
    const beforeMs = systemClock.nowMs();
    await product.query("commit");
    const [record] = (await claim()).records;
    const { emittedAtMs, ...rest } = record ?? assert.fail();
    assert.deepEqual(rest, { seq, accountId, type: "demo_viewed", record: '{"a": "ü", "b": 1.5}', tries: 1 });
    assert.ok(Math.abs(emittedAtMs - beforeMs) < 5_000);
  });

  test("keeps numbers digit by digit, and knows the family by the function", async () => {
    const record = '{"n": 12345678901234567890.10, "e": 1e20}';
    await product.query("select bellwire.emit_chat_conversation($1, $2)", [accountId, record]);
    const [claimed] = (await claim()).records;
    assert.equal(claimed?.type, "chat_conversation_completed");
    assert.equal(claimed.record, '{"e": 100000000000000000000, "n": 12345678901234567890.10}');
  });

  test("takes a record of every type, and knows no names: those are the operator's", async () => {
    for (const type of ["lead_identified", "order.paid-v2", `a${"b".repeat(63)}`]) {
      await product.query("select bellwire.emit($1, $2, $3)", [accountId, type, '{"id": 1}']);
      const [claimed] = (await claim()).records;
      assert.deepEqual([claimed?.type, claimed?.accountId, claimed?.record], [type, accountId, '{"id": 1}']);
    }
    for (const type of [null, "", "Lead", "lead identified", "lead_", "1st", `a${"b".repeat(64)}`]) {
      const emitted = product.query("select bellwire.emit($1, $2, '{}')", [accountId, type]);
      await assert.rejects(emitted, /^error: bellwire: the event type is not a name$/);
    }
  });

  test("stops only for what a programmer must see at once, and says what would be right", async () => {
    const refusals: readonly [unknown, string | null, RegExp, RegExp][] = [
      [{}, null, /^bellwire: the account is null$/, /account_id/],
      [{}, "acme inc", /^bellwire: the account is not an id$/, /1 to 128 characters/],
      [null, accountId, /^bellwire: the record is null$/, /one JSON object/],
      ["[1]", accountId, /^bellwire: the record is of type array, not an object$/, /each row of a query/],
      [{ x: "ä".repeat(600_000) }, accountId, /^bellwire: the record has 1200009 bytes as text, 1048576/, /savepoint/],
    ];
    for (const [record, account, message, hint] of refusals) {
      await assert.rejects(emit(record, account), (error: unknown) => {
        assert.ok(error instanceof pg.DatabaseError);
        assert.match(error.message, message);
        assert.match(error.hint ?? "", hint);
        return true;
      });
    }
    assert.equal(await emit({ unknown_field: 1 }, "nobody"), (await claimSeqs())[0], "all else is judged later");
  });

  test("stops for text that no jsonb can hold: a lone surrogate, a NUL", async () => {
    for (const record of ['{"name": "\\ud800"}', '{"\\udc00": 1}', '{"name": "\\u0000"}']) {
      const emitted = product.query("select bellwire.emit_demo_session($1, $2)", [accountId, record]);
      await assert.rejects(emitted, pg.DatabaseError);
    }
    assert.deepEqual((await claim()).records, []);
  });

  test("takes a record of exactly the size that intake takes", async () => {
    const ofBytes = (bytes: number) => ({ x: "a".repeat(bytes - '{"x": ""}'.length) });
    await emit(ofBytes(LIMITS.recordBytesMax));
    await assert.rejects(emit(ofBytes(LIMITS.recordBytesMax + 1)), /the record has/);
  });

  test("is all that its role may do, and needs the grants", async () => {
    for (const sql of [
      "select 1 from bellwire.inbox",
      "insert into bellwire.inbox (account_id, type, record, emitted_at, due_at) values ('a', 'demo_viewed', '', 0, 0)",
      "delete from bellwire.inbox",
      "select 1 from bellwire.refused_records",
      "select bellwire.put_into_inbox('demo_viewed', 'a', '{}')",
    ]) {
      await assert.rejects(product.query(sql), /permission denied/, sql);
    }
    // A name of its own in front of ours changes nothing: the functions look nowhere else.
    await product.query("create temp table inbox (x integer); set search_path = pg_temp, public");
    await emit();
    await product.query("reset search_path; drop table pg_temp.inbox");
    assert.equal((await countAll()).waiting, 1);
    await cluster.query(url, "create role stranger login; grant usage on schema bellwire to stranger");
    await using stranger = await openAs("stranger");
    for (const call of ["emit_demo_session('a', '{}')", "emit('a', 'order_paid', '{}')"]) {
      await assert.rejects(stranger.client.query(`select bellwire.${call}`), /permission denied/);
    }
  });
});

async function openAs(role: string) {
  const client = new pg.Client({ connectionString: url.replace(/user=\w+/, `user=${role}`) });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

describe("claiming", () => {
  test("gives each record to one node only, the oldest first, up to the limits", async () => {
    const seqs = [await emit(), await emit(), await emit()];
    const first = await claim({ recordsMax: 2 });
    assert.deepEqual([listSeqs(first.records), first.hasMore], [seqs.slice(0, 2), true]);
    const second = await claim({ recordsMax: 2 });
    assert.deepEqual([listSeqs(second.records), second.hasMore], [seqs.slice(2), false]);
    assert.deepEqual(await claimSeqs(), []);
    assert.equal((await countAll()).waiting, 3);
  });

  test("stops before the bytes are too many, but takes one", async () => {
    const large = { x: "a".repeat(1_000) };
    const seqs = [await emit(large), await emit(large), await emit(large)];
    const first = await claim({ bytesMax: 2_500 });
    assert.deepEqual([listSeqs(first.records), first.hasMore], [seqs.slice(0, 2), true]);
    assert.deepEqual(await claimSeqs({ bytesMax: 1 }), seqs.slice(2));
  });

  test("takes a row that commits after later ones have gone", async () => {
    await product.query("begin");
    const early = await emit();
    await using other = await openAs("product");
    await other.client.query("select bellwire.emit_demo_session($1, '{}')", [accountId]);
    const [late = 0] = await claimSeqs();
    assert.ok(late > early);
    await refuse(late);
    assert.deepEqual(await claimSeqs(), []);
    await product.query("commit");
    assert.deepEqual(await claimSeqs(), [early]);
  });

  test("comes again when the claim ends, and then one by one", async () => {
    const seqs = [await emit(), await emit()];
    const nowMs = soonMs();
    assert.equal((await claim({ nowMs })).records.length, 2);
    const fresh = await emit();
    assert.deepEqual(await claimSeqs({ nowMs: nowMs + LEASE_MS - 1 }), [fresh]);
    const again = await claim({ nowMs: nowMs + LEASE_MS });
    assert.deepEqual([listSeqs(again.records), again.hasMore], [seqs.slice(0, 1), true]);
    assert.equal(again.records[0]?.tries, 2);
    const last = await claim({ nowMs: nowMs + LEASE_MS });
    assert.deepEqual([listSeqs(last.records), last.hasMore], [seqs.slice(1), false]);
  });

  test("of several nodes at once never meets the same record twice", async () => {
    await product.query(`select count(bellwire.emit_demo_session('${accountId}', '{}')) from generate_series(1, 300)`);
    await using second = (await openPostgresStore({ url, clock: systemClock })).store;
    const nowMs = soonMs();
    const all: number[] = [];
    async function takeAll(node: Store, token: string): Promise<void> {
      for (let misses = 0; misses < 3;) {
        const claimed = { nowMs, claim: { token, untilMs: nowMs + LEASE_MS }, recordsMax: 7, bytesMax: 10 ** 6 };
        const { records } = await node.claimInboxRecords(claimed);
        misses = records.length === 0 ? misses + 1 : 0;
        all.push(...listSeqs(records));
      }
    }
    await Promise.all([store, second, store, second].map((node, place) => takeAll(node, `token ${place}`)));
    assert.equal(all.length, 300);
    assert.equal(new Set(all).size, 300);
  });
});

const refuse = (seq: number, claimToken = "token", parts: { nowMs?: number; path?: string } = {}) =>
  store.refuseInboxRecordsIfClaimed({
    claimToken,
    nowMs: parts.nowMs ?? soonMs(),
    refusals: [{ seq, problem: problem("invalid_record", "It is bad.", [{ path: parts.path ?? "a", message: "m" }]) }],
  });

describe("finishing", () => {
  test("a row goes in the transaction that accepts its event, new or known, and not before", async () => {
    const seqs = [await emit(), await emit(), await emit()];
    const configVersion = await setUp(store, ["dst_a"]);
    await claim();
    const [first, repeat, old] = seqs.map((inboxSeq) =>
      makeEvent(1, { configVersion, inboxSeq, deliveries: [due("dlv_1", "dst_a")] }),
    );
    assert.ok(first !== undefined && repeat !== undefined && old !== undefined);
    const stale = { ...old, configVersion: configVersion - 1 };
    assert.deepEqual(await accept(store, [stale]), [{ kind: "config_changed" }]);
    assert.equal((await countAll()).waiting, 3, "one that has to be decided again stays");
    const answers = await accept(store, [first, repeat]);
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ["accepted", "duplicate"],
    );
    assert.equal((await countAll()).waiting, 1);
    // An event that the store cannot take is a fault; its row must outlive it.
    await assert.rejects(accept(store, [{ ...old, sourceId: "no uuid" }]));
    assert.equal((await countAll()).waiting, 1);
  });

  test("a node that was too slow still accepts once, and nothing says that it was refused", async () => {
    const seq = await emit();
    const configVersion = await setUp(store, []);
    const nowMs = soonMs();
    await claim({ nowMs, token: "slow" });
    await claim({ nowMs: nowMs + LEASE_MS, token: "other" });
    await refuse(seq, "other");
    assert.deepEqual(await accept(store, [makeEvent(1, { configVersion, inboxSeq: seq })]), [ACCEPTED]);
    assert.deepEqual(await countAll(), { waiting: 0, oldestEmittedAtMs: null, refused: 0 });
    assert.deepEqual(await refuse(seq, "slow"), { refused: 0 });
  });

  test("giving back is for who holds the claim, with the try or without", async () => {
    const seq = await emit();
    const nowMs = soonMs();
    await claim({ nowMs });
    const back = { claimToken: "token", records: [{ seq, dueAtMs: nowMs + 5 }], isTry: true };
    assert.deepEqual(await store.releaseInboxRecordsIfClaimed({ ...back, claimToken: "lost" }), { released: 0 });
    assert.deepEqual(await store.releaseInboxRecordsIfClaimed(back), { released: 1 });
    assert.deepEqual(await store.releaseInboxRecordsIfClaimed(back), { released: 0 });
    assert.deepEqual(await claimSeqs({ nowMs: nowMs + 4 }), []);
    const [second] = (await claim({ nowMs: nowMs + 5 })).records;
    assert.equal(second?.tries, 2);
    await store.releaseInboxRecordsIfClaimed({ ...back, isTry: false });
    assert.equal((await claim({ nowMs: nowMs + 5 })).records[0]?.tries, 2);
  });

  test("what is refused is kept for its account, newest first, page by page", async () => {
    const seqs = [await emit({ n: 1 }), await emit({ n: 2 }), await emit({ n: 3 })];
    const strange = await emit({}, "other");
    await claim();
    for (const seq of [...seqs, strange]) assert.deepEqual(await refuse(seq), { refused: 1 });
    assert.deepEqual(await refuse(seqs[0] ?? 0), { refused: 0 });
    assert.equal((await countAll()).refused, 4);
    const page = await store.listRefusedRecords({ accountId, before: null, limit: 2, recordCharsMax: 99_999 });
    assert.deepEqual(
      page.map(({ seq, record }) => [seq, record]),
      [
        [seqs[2], '{"n": 3}'],
        [seqs[1], '{"n": 2}'],
      ],
    );
    assert.deepEqual(page[0]?.problem, {
      code: "invalid_record",
      detail: "It is bad.",
      errors: [{ path: "a", message: "m" }],
    });
    const rest = await store.listRefusedRecords({
      accountId,
      before: { seq: seqs[1] ?? 0 },
      limit: 2,
      recordCharsMax: 99_999,
    });
    assert.deepEqual(
      rest.map(({ seq }) => seq),
      seqs.slice(0, 1),
    );
  });

  test("retention empties refused records first and takes them later; what waits it never touches", async () => {
    const [old, young, waiting] = [await emit(), await emit(), await emit()];
    await claim();
    const nowMs = soonMs();
    await refuse(old, "token", { nowMs });
    await refuse(young, "token", { nowMs: nowMs + 10 });
    const ages = { attemptBodiesBeforeMs: 0, rowsBeforeMs: 0, rowsMax: 100 };
    assert.equal((await store.purge({ nowMs, payloadsBeforeMs: nowMs + 10, ...ages })).purged, 1);
    const list = await store.listRefusedRecords({ accountId, before: null, limit: 9, recordCharsMax: 99_999 });
    assert.deepEqual(
      list.map(({ record }) => record),
      ["{}", null],
    );
    await purgeNow(store, nowMs, nowMs + 10);
    const left = await store.listRefusedRecords({ accountId, before: null, limit: 9, recordCharsMax: 99_999 });
    assert.deepEqual(
      left.map(({ seq }) => seq),
      [young],
    );
    assert.deepEqual(await claimSeqs({ nowMs: nowMs + LEASE_MS }), [waiting]);
  });
});
