/** Promises about what tells an open page to look again: every change shows, and nothing else does. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { newId } from "../../domain/id.ts";
import { minutesMs } from "../../lib/duration.ts";
import type { Activity } from "../contract/log.ts";
import {
  ACCOUNT,
  accept,
  ADA,
  alertToSave,
  due,
  makeEvent,
  held,
  inStore,
  openBreaker,
  type OpenStore,
  setUp,
  makeSettlement,
  T0,
  loadVersion,
} from "./world.ts";
import type { NewDelivery } from "../contract/path.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const OTHER = { ...ACCOUNT, id: "acc_2" };

/** Nothing is left to chance in these: an id's instant is what counts. */
const random = { bytes: (count: number) => new Uint8Array(count), unit: () => 0 };
const idAt = (ms: number): string => newId("evt", ms, random);

const look = (store: Store, of = accountId) => store.loadActivity({ accountId: of, sinceMs: T0 - minutesMs(2) });

type Mark = keyof Activity;

/** The marks that `change` has changed. */
async function changedBy(store: Store, change: () => Promise<unknown>): Promise<Mark[]> {
  const before = await look(store);
  assert.deepEqual(await look(store), before, "looking changes nothing");
  await change();
  const after = await look(store);
  return (Object.keys(before) as Mark[]).filter((mark) => JSON.stringify(before[mark]) !== JSON.stringify(after[mark]));
}

interface One {
  readonly n: number;
  readonly deliveries?: readonly NewDelivery[];
  readonly whose?: string;
}

async function acceptOne(store: Store, { n, deliveries = [], whose = accountId }: One): Promise<void> {
  const configVersion = await loadVersion(store, whose);
  await accept(store, [makeEvent(n, { id: idAt(T0 + n), accountId: whose, configVersion, deliveries })], T0 + n);
}

export function describeActivity(open: OpenStore): void {
  describe("activity of an account", () => {
    describeDeliveries(open);
    describeDecisions(open);
    describeOthers(open);
  });
}

function describeDeliveries(open: OpenStore): void {
  const test = inStore(open);
  test("shows an event, whether anything is sent for it or not", async (store) => {
    await setUp(store, ["dst_a"]);
    assert.deepEqual(await changedBy(store, () => acceptOne(store, { n: 1 })), ["deliveries"]);
    assert.deepEqual(await changedBy(store, () => acceptOne(store, { n: 2, deliveries: [due("dlv_2", "dst_a")] })), [
      "deliveries",
    ]);
    const chat = async (assistantId: string, n: number) => {
      const configVersion = await loadVersion(store);
      const type = "chat_conversation_completed";
      await accept(store, [makeEvent(n, { id: idAt(T0 + n), configVersion, type, assistantId })], T0 + n);
    };
    assert.deepEqual(await changedBy(store, () => chat("zoe", 3)), ["deliveries"]);
    assert.deepEqual(await changedBy(store, () => chat("ada", 4)), ["deliveries"]);
  });

  test("shows each attempt, and the destination's health only where that has changed", async (store) => {
    await setUp(store, ["dst_a"]);
    for (const n of [1, 2, 3]) await acceptOne(store, { n, deliveries: [held(`dlv_${n}`, "dst_a")] });
    const settle = (id: string, state: "delivered" | "failed") =>
      store.settleAttemptsIfClaimed({ nowMs: T0 + 9, settlements: [makeSettlement(id, { next: { state } })] });
    assert.deepEqual(await changedBy(store, () => settle("dlv_1", "delivered")), ["deliveries"]);
    assert.deepEqual(await changedBy(store, () => settle("dlv_2", "failed")), ["deliveries", "destinations"]);
    assert.deepEqual(await changedBy(store, () => settle("dlv_3", "delivered")), ["deliveries", "destinations"]);
    const changed = await changedBy(store, () => openBreaker(store, "dst_a"));
    assert.deepEqual(changed, ["deliveries", "destinations"]);
  });
}

function describeDecisions(open: OpenStore): void {
  const test = inStore(open);
  test("shows what people and the product set up, and what the audit lists", async (store) => {
    await setUp(store, ["dst_a"]);
    const by = { accountId, by: ADA, nowMs: T0 };
    assert.deepEqual(await changedBy(store, () => store.saveAlert(alertToSave())), ["configuration", "destinations"]);
    const renamed = { account: { ...ACCOUNT, name: "New" }, newSealedSecret: "", nowMs: T0 };
    assert.deepEqual(await changedBy(store, () => store.putAccount(renamed)), ["configuration"]);
    const entry = { ...by, action: "secret_revealed", subject: "" } as const;
    assert.deepEqual(await changedBy(store, () => store.writeAudit(entry)), ["configuration"]);
    const pause = { ...by, destinationId: "dst_a", state: "paused", reason: "" } as const;
    const paused = await changedBy(store, () => store.setDestinationState(pause));
    assert.deepEqual(paused, ["configuration", "destinations"]);
    assert.deepEqual(Object.keys((await look(store)).destinations).toSorted(), ["dst_a", "dst_alert"]);
  });

  test("shows how far a replay is", async (store) => {
    await setUp(store, ["dst_a"]);
    await acceptOne(store, { n: 1, deliveries: [held("dlv_1", "dst_a")] });
    const failed = makeSettlement("dlv_1", { next: { state: "failed" } });
    await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [failed] });
    const filter = { states: ["failed"] } as const;
    const replay = { id: "rpl_1", filter, deliveriesMax: 9, ratePerSecond: 5, startPaused: false, by: ADA };
    const create = () => store.createReplay({ ...replay, accountId, nowMs: T0 + 10 });
    assert.deepEqual(await changedBy(store, create), ["configuration", "replays"]);
    const moved = await changedBy(store, () => store.stepReplays({ nowMs: T0 + 2_000, deliveriesMax: 9 }));
    assert.deepEqual(moved, ["replays"]);
  });
}

function describeOthers(open: OpenStore): void {
  const test = inStore(open);
  test("shows nothing of another account", async (store) => {
    await setUp(store, ["dst_a"]);
    await setUp(store, ["dst_b"], OTHER);
    const all = async () => {
      await acceptOne(store, { n: 1, deliveries: [held("dlv_1", "dst_b")], whose: OTHER.id });
      const failed = makeSettlement("dlv_1", { accountId: OTHER.id, next: { state: "failed" } });
      await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [failed] });
      const by = { accountId: OTHER.id, by: ADA, nowMs: T0 };
      await store.setDestinationState({ ...by, destinationId: "dst_b", state: "paused", reason: "" });
    };
    assert.deepEqual(await changedBy(store, all), []);
  });

  test("shows nothing of an account that does not exist", async (store) => {
    const nothing = { deliveries: "0 0", configuration: "0 0", destinations: {}, replays: {} };
    assert.deepEqual(await look(store, "nobody"), nothing);
  });
}
