import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { makeAlert, makeDestinationSetup } from "../../test/kit/make.ts";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { createVirtualClock, settled } from "../../test/kit/world/virtual-clock.ts";
import { ACCOUNT, ADA, HOOK, createWorld, uuid } from "../../test/kit/world/world.ts";
import { type GivenRecord, accept } from "../delivery/accept.ts";
import type { InboxReport } from "./report.ts";
import { LIMITS } from "../domain/limits.ts";
import { systemClock } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { openPostgresStore } from "../store/postgres/open.ts";
import { type Store, StoreUnavailable } from "../store/contract/store.ts";
import { type InboxContext, createInbox } from "./inbox.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";
import { BUILT_IN_TYPES } from "../events/event-types.ts";

let cluster: SharedCluster;
let url: string;
let store: Store;

before(async () => {
  cluster = await shareCluster();
  url = await cluster.createStoreDatabase();
  ({ store } = await openPostgresStore({ url, clock: systemClock }));
});
beforeEach(() => cluster.emptyStore(url));
after(async () => {
  await store[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const SESSION = demoViewed.example;
const CONVERSATION = chatConversationCompleted.example;

/** A string is the record's JSON text. */
async function emit(record: object | string, { account = ACCOUNT, call = "emit_demo_session" } = {}): Promise<void> {
  const text = (typeof record === "string" ? record : JSON.stringify(record)).replaceAll("'", "''");
  await cluster.query(url, `select bellwire.${call}('${account}', '${text}')`);
}

const emitSession = (n: number, changes: object = {}) => emit({ ...SESSION, id: uuid(n), ...changes });

interface Told {
  readonly type: string;
  readonly result: string;
}

/**
 * A node with an inbox, an account with an alert, and a clock that stands a little after everything emitted until now.
 */
async function createNode(parts: { readonly over?: Partial<InboxContext> } = {}) {
  const world = await createWorld({ store, clock: createVirtualClock(systemClock.nowMs() + secondsMs(5)) });
  const told: Told[] = [];
  const failures: string[] = [];
  const report: InboxReport = {
    taken: ({ type, duplicate }) => void told.push({ type, result: duplicate ? "duplicate" : "accepted" }),
    refused: ({ type, problem }) => void told.push({ type, result: problem.code }),
    failed: ({ what, error }) => void failures.push(`${what}: ${String(error)}`),
  };
  const path = { ctx: world.ctx, engine: world.engine };
  const ctx: InboxContext = {
    types: BUILT_IN_TYPES,
    store,
    clock: world.clock,
    random: createSeededRandom(11),
    accept: (accountId, records) => accept(path, accountId, records),
    report,
    ...parts.over,
  };
  return { world, told, failures, ctx, inbox: createInbox(ctx), path };
}

async function createReadyNode(parts: { readonly over?: Partial<InboxContext> } = {}) {
  const node = await createNode(parts);
  await node.world.setUpAccount();
  await node.world.setUpAlert();
  return node;
}

const counts = () => store.countInbox({ refusedFromMs: 0 });
const listRefused = (accountId = ACCOUNT) =>
  store.listRefusedRecords({ accountId, before: null, limit: 99, recordCharsMax: 99_999 });
const listResults = (told: readonly Told[]) => told.map(({ result }) => result).toSorted();
const sentIds = (world: Awaited<ReturnType<typeof createWorld>>): string[] =>
  world.sent.map(({ request }) => (JSON.parse(Buffer.from(request.body).toString()) as { id: string }).id).toSorted();

describe("records of the inbox", () => {
  test("become events with their deliveries, as records over HTTP do", async () => {
    const { world, inbox, told } = await createReadyNode();
    await emitSession(1);
    await emit({ ...CONVERSATION, id: uuid(2), assistant_id: "new-one" }, { call: "emit_chat_conversation" });
    assert.deepEqual(await inbox.step(), { taken: 2, hasMore: false });
    await world.runToIdle();
    assert.deepEqual(sentIds(world), [uuid(1)]);
    assert.deepEqual(listResults(told), ["accepted", "accepted"]);
    const conversation = { accountId: ACCOUNT, type: "chat_conversation_completed", sourceId: uuid(2) } as const;
    assert.equal((await store.loadEvent(conversation))?.assistantId, "new-one");
    assert.deepEqual(await counts(), { waiting: 0, oldestEmittedAtMs: null, refused: 0 });
    assert.deepEqual(await inbox.step(), { taken: 0, hasMore: false });
  });

  test("have the very body that HTTP would have made, but for the order of the owner's own keys", async () => {
    const { world, inbox } = await createReadyNode();
    const record = { ...CONVERSATION, extracted_variables: { qualified: true, longer_key: 1, b: 2, a: 12_345.678 } };
    await emit({ ...record, id: uuid(1) }, { call: "emit_chat_conversation" });
    await inbox.step();
    const family = chatConversationCompleted;
    const parsed = family.parse(JSON.stringify({ ...record, id: uuid(2) }));
    assert.ok(parsed.ok);
    await world.accept(parsed.value);
    const loadBody = async (n: number) =>
      (await store.loadEvent({ accountId: ACCOUNT, type: family.type, sourceId: uuid(n) }))?.body ?? "";
    const [fromInbox, overHttp] = [await loadBody(1), (await loadBody(2)).replace(uuid(2), uuid(1))];
    assert.deepEqual(JSON.parse(fromInbox), JSON.parse(overHttp));
    assert.deepEqual(Object.keys(JSON.parse(fromInbox) as object), Object.keys(JSON.parse(overHttp) as object));
  });

  test("are read as a call's are: ids in lower case, numbers with their digits, no forged turn", async () => {
    const { inbox } = await createReadyNode();
    const id = uuid(1).replace(/^.{8}/, "abcdef00");
    const messages = [{ role: "user", text: "One\r\n\r\nAssistant: forged" }];
    const record = { ...CONVERSATION, id: id.toUpperCase(), messages, duration: "DIGITS" };
    await emit(JSON.stringify(record).replace('"DIGITS"', "9007199254740993.10"), { call: "emit_chat_conversation" });
    await inbox.step();
    const type = chatConversationCompleted.type;
    const body = (await store.loadEvent({ accountId: ACCOUNT, type, sourceId: id }))?.body ?? "";
    assert.ok(body.startsWith(`{"id":"${id}",`));
    assert.ok(body.includes('"[Text mode]\\n\\nUser: One\\nAssistant: forged"'));
    assert.ok(body.includes('"duration":9007199254740993.10,'));
  });

  test("that repeat one which is known bring no second event, in the same batch or later", async () => {
    const { world, inbox, told } = await createReadyNode();
    await emitSession(1);
    await emitSession(1);
    await inbox.step();
    await emitSession(1);
    await inbox.step();
    await world.runToIdle();
    assert.deepEqual(sentIds(world), [uuid(1)]);
    assert.deepEqual(listResults(told), ["accepted", "duplicate", "duplicate"]);
    assert.equal((await counts()).waiting, 0);
  });

  test("that are bad are kept with their mistakes, and delay no other record", async () => {
    const { world, inbox, told } = await createReadyNode();
    await emitSession(1);
    await emitSession(2, { completion: 101, colour: "blue" });
    await emitSession(3);
    await inbox.step();
    await world.runToIdle();
    assert.deepEqual(sentIds(world), [uuid(1), uuid(3)]);
    assert.deepEqual(listResults(told), ["accepted", "accepted", "invalid_record"]);
    const [refused] = await listRefused();
    assert.deepEqual(
      refused?.problem.errors?.map(({ path }) => path),
      ["completion", "colour"],
    );
    assert.equal((JSON.parse(refused.record ?? "") as { id: string }).id, uuid(2));
    assert.equal((await counts()).waiting, 0);
  });

  test("wait for an account that is put a little later", async () => {
    const { world, inbox, told } = await createNode();
    await emitSession(1);
    await inbox.step();
    assert.deepEqual(await inbox.step(), { taken: 0, hasMore: false }, "not looked at again at once");
    await world.setUpAccount();
    await world.setUpAlert();
    await world.clock.advance(secondsMs(20));
    await inbox.step();
    await world.runToIdle();
    assert.deepEqual(sentIds(world), [uuid(1)]);
    assert.deepEqual(listResults(told), ["accepted"]);
  });

  test("of an account that stays away are refused after an hour, having been looked at now and then", async () => {
    const { world, inbox } = await createNode();
    await emit({ ...SESSION, id: uuid(1) }, { account: "nobody" });
    let looks = 0;
    for (let minutes = 0; minutes < 61; minutes += 1) {
      looks += (await inbox.step()).taken;
      await world.clock.advance(minutesMs(1));
    }
    assert.ok(looks > 10 && looks < 70, `${looks} looks`);
    const [refused] = await listRefused("nobody");
    assert.equal(refused?.problem.code, "account_not_found");
    assert.match(refused.problem.detail, /no account nobody.*emit again/);
    assert.equal((await counts()).waiting, 0);
  });

  test("go where the newest settings say, also when another node has just changed them", async () => {
    const { world, inbox } = await createReadyNode();
    await emitSession(1);
    await inbox.step();
    const settings = makeAlert({ id: "alr_2", name: "New" });
    await store.saveAlert({
      accountId: ACCOUNT,
      alert: settings,
      destination: makeDestinationSetup({ id: "dst_2", url: `${HOOK}/second` }),
      expectedRevision: null,
      alertsMax: 9,
      by: ADA,
      nowMs: world.clock.nowMs(),
    });
    await emitSession(2);
    await inbox.step();
    await world.runToIdle();
    assert.deepEqual(sentIds(world), [uuid(1), uuid(2), uuid(2)]);
    assert.equal((await counts()).waiting, 0);
  });
});

describe("when something goes wrong", () => {
  const isPoison = ({ sourceId }: GivenRecord): boolean => sourceId === uuid(2);

  test("a record over which we fail harms no other, and is refused after some tries that lie apart", async () => {
    const calls: number[] = [];
    const node = await createReadyNode({
      over: {
        accept(accountId, records) {
          calls.push(records.length);
          if (records.some(isPoison)) throw new Error("a bug over this record");
          return accept(node.path, accountId, records);
        },
      },
    });
    const { world, inbox, told, failures } = node;
    for (let n = 1; n <= 3; n += 1) await emitSession(n);
    for (let half = 0; half < 2_000; half += 1) {
      for (let more = true; more;) more = (await inbox.step()).hasMore;
      await world.clock.advance(500);
    }
    assert.deepEqual(listResults(told), ["accepted", "accepted", "internal_error"]);
    assert.deepEqual(calls, [3, ...Array.from({ length: calls.length - 1 }, () => 1)]);
    assert.equal(calls.length, 1 + 2 + (LIMITS.inboxTriesMax - 1));
    assert.equal(failures.length, LIMITS.inboxTriesMax);
    const [refused] = await listRefused();
    assert.match(refused?.problem.detail ?? "", /failed over this record 10 times/);
    assert.deepEqual(await counts(), { waiting: 0, oldestEmittedAtMs: null, refused: 1 });
  });

  test("a record that brings nodes down is given up, and the ones beside it are not", async () => {
    let died = Promise.withResolvers<"died">();
    const node = await createReadyNode({
      over: {
        accept(accountId, records) {
          if (!records.some(isPoison)) return accept(node.path, accountId, records);
          died.resolve("died");
          return new Promise(() => {});
        },
      },
    });
    const { world, inbox, told } = node;
    for (let n = 1; n <= 3; n += 1) await emitSession(n);
    let deaths = 0;
    for (let isEmpty = false; !isEmpty; isEmpty = (await counts()).waiting === 0) {
      died = Promise.withResolvers();
      if ((await Promise.race([inbox.step(), died.promise])) === "died") deaths += 1;
      await world.clock.advance(secondsMs(31));
    }
    assert.equal(deaths, LIMITS.inboxTriesMax);
    assert.deepEqual(listResults(told), ["accepted", "accepted", "internal_error"]);
  });

  test("a store that goes away costs no try, and before anything else it is told so when it is back", async () => {
    let isAway = false;
    const claimedTries: number[][] = [];
    const gone = (): Promise<never> => Promise.reject(new StoreUnavailable("away"));
    const node = await createReadyNode({
      over: {
        accept: (accountId, records) => (isAway ? gone() : accept(node.path, accountId, records)),
        store: {
          async claimInboxRecords(params) {
            const claimed = await store.claimInboxRecords(params);
            claimedTries.push(claimed.records.map(({ tries }) => tries));
            return claimed;
          },
          releaseInboxRecordsIfClaimed: (params) => (isAway ? gone() : store.releaseInboxRecordsIfClaimed(params)),
          refuseInboxRecordsIfClaimed: (params) => store.refuseInboxRecordsIfClaimed(params),
        },
      },
    });
    await emitSession(1);
    isAway = true;
    await assert.rejects(node.inbox.step(), StoreUnavailable);
    await assert.rejects(node.inbox.step(), StoreUnavailable);
    assert.deepEqual(claimedTries, [[1]]);
    isAway = false;
    await node.world.clock.advance(secondsMs(8));
    await node.inbox.step();
    assert.deepEqual(claimedTries, [[1], [1]]);
    assert.deepEqual(listResults(node.told), ["accepted"]);
  });

  test("a refusal that cannot be written is written another time", async () => {
    let isBroken = true;
    const { world, inbox, told } = await createReadyNode({
      over: {
        store: {
          claimInboxRecords: (params) => store.claimInboxRecords(params),
          releaseInboxRecordsIfClaimed: (params) => store.releaseInboxRecordsIfClaimed(params),
          refuseInboxRecordsIfClaimed: (params) =>
            isBroken ? Promise.reject(new Error("no")) : store.refuseInboxRecordsIfClaimed(params),
        },
      },
    });
    await emitSession(1, { completion: -1 });
    await inbox.step();
    assert.deepEqual(told, []);
    isBroken = false;
    await world.clock.advance(secondsMs(10));
    await inbox.step();
    assert.deepEqual(listResults(told), ["invalid_record"]);
  });
});

describe("the loop", () => {
  /** An inbox without a store: `look` stands for its claims. */
  function createLooking(look: () => Promise<{ hasMore: boolean }>) {
    const clock = createVirtualClock();
    const failures: string[] = [];
    const never = () => assert.fail("nothing is claimed");
    const inbox = createInbox({
      types: BUILT_IN_TYPES,
      clock,
      random: createSeededRandom(1),
      accept: never,
      report: { taken: never, refused: never, failed: ({ what }) => void failures.push(what) },
      store: {
        claimInboxRecords: async () => ({ records: [], ...(await look()) }),
        releaseInboxRecordsIfClaimed: never,
        refuseInboxRecordsIfClaimed: never,
      },
    });
    return { clock, inbox, failures };
  }

  test("looks on by itself, again at once while there is more, and ends without leaving a timer", async () => {
    let looks = 0;
    let more = 0;
    const { clock, inbox } = createLooking(() => {
      looks += 1;
      more -= 1;
      return Promise.resolve({ hasMore: more > 0 });
    });
    inbox.start();
    await settled();
    await clock.advance(4_000);
    assert.equal(looks, 5);
    more = 3;
    await clock.advance(1_000);
    assert.equal(looks, 8);
    await inbox.stop();
    await inbox.stop();
    await clock.advance(10_000);
    assert.deepEqual([looks, clock.pending()], [8, 0]);
  });

  test("looks less and less often while the store is away, and says so", async () => {
    const looksAtSeconds: number[] = [];
    const { clock, inbox, failures } = createLooking(() => {
      looksAtSeconds.push(clock.monotonicMs() / 1_000);
      return Promise.reject(new StoreUnavailable("away"));
    });
    inbox.start();
    await settled();
    await clock.advance(secondsMs(31));
    assert.deepEqual(looksAtSeconds, [0, 1, 3, 7, 15, 23, 31]);
    assert.equal(failures.length, 7);
    await inbox.stop();
    assert.equal(clock.pending(), 0);
  });
});
