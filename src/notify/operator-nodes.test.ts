/** Two nodes on one PostgreSQL: when both could send a alert, one of them sends it, once. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { minutesMs } from "../lib/duration.ts";
import { systemClock } from "../lib/clock.ts";
import { openPostgresStore } from "../store/postgres/open.ts";
import type { Store } from "../store/contract/store.ts";
import { createOperatorAlerts } from "./operator-alerts.ts";
import { createOperatorWebhook } from "./operator-webhook.ts";

const NAMES = { signatureHeader: "x-service-signature", userAgent: "Bellwire/test" };

let cluster: SharedCluster;
let url: string;

before(async () => {
  cluster = await shareCluster();
  url = await cluster.createStoreDatabase();
});
after(() => cluster[Symbol.asyncDispose]());

async function openNode(receiver: Receiver, seed: number) {
  const { store, clock } = await openPostgresStore({ url, clock: systemClock });
  const secret = `whsec_${Buffer.alloc(32).toString("base64")}`;
  const alerts = createOperatorAlerts({
    store: { ...store, countWaiting: async () => ({ waiting: 1, oldestDueAtMs: clock.nowMs() - minutesMs(9) }) },
    clock,
    random: createSeededRandom(seed),
    webhook: createOperatorWebhook({ url: receiver.url, secret, names: NAMES, clock: systemClock }),
    node: `node-${seed}`,
    onFailure: (_what, error) => assert.fail(String(error)),
  });
  return {
    store,
    alerts,
    async [Symbol.asyncDispose]() {
      await alerts.stop();
      await store[Symbol.asyncDispose]();
    },
  };
}

const note = (store: Store, subject: string, isRaised: boolean) =>
  store.noteCondition({ subject, isRaised, body: `{"${subject}":${isRaised}}`, quietMs: 0, nowMs: Date.now() });

test("each alert is told once, in its subject's order, and a backlog that both see is one", async () => {
  // Slow enough that a subject's second alert would overtake its first one, if it were sent beside it.
  const answered = new Set<string>();
  const overtaking: string[] = [];
  await using receiver = await startReceiver(async ({ body }) => {
    const text = body.toString();
    if (text.endsWith(":false}") && !answered.has(text.replace("false", "true"))) overtaking.push(text);
    await sleep(5);
    answered.add(text);
    return {};
  });
  await using one = await openNode(receiver, 1);
  await using other = await openNode(receiver, 2);
  const subjects = Array.from({ length: 50 }, (_, n) => `s${n}`);
  for (const subject of subjects) {
    await note(one.store, subject, true);
    await note(other.store, subject, false);
  }

  let told = 0;
  do {
    const counts = await Promise.all([one.alerts.step(), other.alerts.step()]);
    told = counts.reduce((sum, count) => sum + count);
  } while (told > 0);

  const bodies = receiver.requests.map(({ body }) => body.toString());
  const ids = new Set(receiver.requests.map(({ headers }) => headers["webhook-id"]));
  assert.equal(bodies.filter((body) => body.includes("backlog_late")).length, 1);
  assert.equal(bodies.length, 101);
  assert.equal(ids.size, 101);
  assert.deepEqual(overtaking, []);
  for (const subject of subjects) {
    const mine = bodies.filter((body) => body.startsWith(`{"${subject}":`));
    assert.deepEqual(mine, [`{"${subject}":true}`, `{"${subject}":false}`]);
  }
});
