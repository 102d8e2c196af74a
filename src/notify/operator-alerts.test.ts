/** From a destination that begins to fail to the operator's real receiver, on a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { type ReceivedRequest, type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { type World, answer, createWorld, session } from "../../test/kit/world/world.ts";
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import { systemClock } from "../lib/clock.ts";
import { verify } from "../receiver/verify.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { createOperatorAlerts, type OperatorAlerts, type OperatorAlertsContext } from "./operator-alerts.ts";
import { createOperatorWebhook } from "./operator-webhook.ts";

const SECRET = `whsec_${Buffer.alloc(32, "operator").toString("base64")}`;

interface Stage extends AsyncDisposable {
  readonly world: World;
  readonly receiver: Receiver;
  readonly alerts: OperatorAlerts;
  /** The answer of the customer's receiver. */
  readonly customer: { status: number };
  readonly failures: string[];
  /** The names of the alerts that the operator's receiver got, in the order of the requests. */
  names(): string[];
}

/** `changed` replaces some of the store's verbs. */
async function openStage(
  changed: (world: World) => Partial<OperatorAlertsContext["store"]> = () => ({}),
): Promise<Stage> {
  const customer = { status: 503 };
  const world = await createWorld({ receiver: () => answer(customer.status) });
  await world.setUpAccount();
  await world.setUpAlert();
  const receiver = await startReceiver();
  const failures: string[] = [];
  const { clock, store, ctx } = world;
  const alerts = createOperatorAlerts({
    // Waiting deliveries grow old here while no engine runs, which is not news unless the test says so.
    store: { ...store, countWaiting: async () => ({ waiting: 0, oldestDueAtMs: null }), ...changed(world) },
    clock,
    random: ctx.random,
    // Sockets take real time, whatever the test's clock says.
    webhook: createOperatorWebhook({ url: `${receiver.url}/in`, secret: SECRET, names: ctx.names, clock: systemClock }),
    node: "node-1:7",
    onFailure: (_what, error) => void failures.push(String(error)),
  });
  return {
    world,
    receiver,
    alerts,
    customer,
    failures,
    names: () => receiver.requests.map((request) => String(parseBody(request)["event"])),
    async [Symbol.asyncDispose]() {
      await alerts.stop();
      await receiver[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

const parseBody = ({ body }: ReceivedRequest) => JSON.parse(body.toString()) as Record<string, unknown>;

/** Enough failures to open its breaker. */
async function failOften(world: World): Promise<void> {
  for (let number = 1; number <= 8; number += 1) await world.acceptOne(session(number));
  await world.run();
}

test("tells that a destination fails and that it works again, signed as every webhook is", async () => {
  await using stage = await openStage();
  const { world, receiver, alerts, customer } = stage;
  await failOften(world);
  assert.equal(await alerts.step(), 1);
  assert.equal(await alerts.step(), 0);
  customer.status = 200;
  await world.clock.advance(minutesMs(30));
  await world.run();
  assert.equal(await alerts.step(), 1);
  assert.deepEqual(stage.names(), ["destination_failing", "destination_recovered"]);

  for (const { headers, body, path } of receiver.requests) {
    assert.equal(path, "/in");
    assert.match(headers["webhook-id"] ?? "", /^ntc_[0-9a-f]{32}$/);
    assert.deepEqual(verify({ body, headers }, [SECRET], { nowMs: Date.now() }), {
      valid: true,
      webhookId: headers["webhook-id"],
    });
    new Webhook(SECRET).verify(body.toString(), headers);
  }
  const { destination } = parseBody(receiver.requests[0] as ReceivedRequest) as { destination: { origin: string } };
  assert.equal(destination.origin, "https://hook.example.com");
});

test("tries again what was not taken, later each time, with the same id and the same bytes", async () => {
  await using stage = await openStage();
  const { world, receiver, alerts, failures } = stage;
  await failOften(world);
  receiver.script = () => ({ status: 503 });
  await alerts.step();
  assert.equal(await alerts.step(), 0, "it is put off");
  await world.clock.advance(secondsMs(5));
  receiver.script = () => ({ kind: "reset" });
  assert.equal(await alerts.step(), 1);
  await world.clock.advance(secondsMs(9));
  assert.equal(await alerts.step(), 0, "for twice as long");
  await world.clock.advance(secondsMs(1));
  receiver.script = () => ({});
  assert.equal(await alerts.step(), 1);
  await world.clock.advance(hoursMs(1));
  assert.equal(await alerts.step(), 0);
  assert.equal(receiver.requests.length, 3);
  assert.equal(
    new Set(receiver.requests.map(({ headers, body }) => `${headers["webhook-id"]} ${body.toString()}`)).size,
    1,
  );
  assert.deepEqual(failures.slice(0, 1), ["status 503"]);
  assert.match(failures[1] ?? "", /^network error /);
});

test("tells again, with the same id, what a node that died may not have told", async () => {
  await using stage = await openStage();
  const { world, receiver, alerts } = stage;
  await failOften(world);
  const { store, clock } = world;
  const limits = { messagesMax: 9, linesMax: 9 };
  const claim = { route: "operator", nowMs: clock.nowMs(), claimToken: "dead", ...limits } as const;
  assert.equal((await store.claimMessages(claim)).length, 1);
  assert.equal(await alerts.step(), 0, "the dead node's claim holds");
  await clock.advance(minutesMs(1));
  assert.equal(await alerts.step(), 1);
  assert.equal(receiver.requests.length, 1);
});

test("drops news that was not taken for a day", async () => {
  await using stage = await openStage();
  const { world, receiver, alerts } = stage;
  await failOften(world);
  await world.clock.advance(hoursMs(24));
  await alerts.step();
  assert.equal(receiver.requests.length, 0);
  assert.equal(await alerts.step(), 0);
});

test("tells that a 410 has turned a destination off", async () => {
  await using stage = await openStage();
  stage.customer.status = 410;
  await stage.world.acceptOne(session(1));
  await stage.world.run();
  await stage.alerts.step();
  assert.equal(parseBody(stage.receiver.requests[0] as ReceivedRequest)["reason"], "gone");
});

test("tells of a backlog that is older than the limit, and of its end at half of it", async () => {
  let ageMs = 0;
  await using stage = await openStage(({ clock }) => ({
    countWaiting: () => Promise.resolve({ waiting: 12, oldestDueAtMs: clock.nowMs() - ageMs }),
  }));
  const { world, receiver, alerts } = stage;
  for (const age of [300, 301, 400, 290, 151, 149, 0, 400]) {
    ageMs = secondsMs(age);
    await alerts.step();
  }
  assert.deepEqual(stage.names(), ["backlog_late", "backlog_cleared"]);
  const { oldest_due_seconds, limit_seconds, deliveries_waiting } = parseBody(receiver.requests[0] as ReceivedRequest);
  assert.deepEqual([oldest_due_seconds, limit_seconds, deliveries_waiting], [301, 300, 12]);
  await world.clock.advance(minutesMs(10));
  await alerts.step();
  assert.deepEqual(stage.names().at(-1), "backlog_late", "it is told again when it has kept quiet long enough");
});

test("a backlog is not told to be over while a part of what waits cannot be counted", async () => {
  let isPart = false;
  let ageMs = secondsMs(301);
  await using stage = await openStage(({ clock }) => ({
    countWaiting: () =>
      Promise.resolve({ waiting: 1, oldestDueAtMs: clock.nowMs() - ageMs, ...(isPart ? { isPart } : {}) }),
  }));
  await stage.alerts.step();
  [ageMs, isPart] = [0, true];
  await stage.alerts.step();
  assert.deepEqual(stage.names(), ["backlog_late"]);
  isPart = false;
  await stage.alerts.step();
  assert.deepEqual(stage.names(), ["backlog_late", "backlog_cleared"]);
});

test("a backlog that is seen is told of though a part of what waits cannot be counted", async () => {
  await using stage = await openStage(({ clock }) => ({
    countWaiting: () => Promise.resolve({ waiting: 1, oldestDueAtMs: clock.nowMs() - secondsMs(301), isPart: true }),
  }));
  await stage.alerts.step();
  assert.deepEqual(stage.names(), ["backlog_late"]);
});

test("reports that the store is away and back, although nothing can be stored in between", async () => {
  let isAway = false;
  await using stage = await openStage(({ store }) => ({
    probe: (params) => (isAway ? Promise.reject(new StoreUnavailable("no")) : store.probe(params)),
  }));
  const { receiver, alerts } = stage;
  const { clock } = stage.world;
  const stepAt = async (away: boolean): Promise<void> => {
    isAway = away;
    await alerts.step();
    await clock.advance(secondsMs(10));
  };
  await stepAt(true);
  await stepAt(false);
  assert.deepEqual(stage.names(), [], "once is no outage");
  const sinceMs = clock.nowMs();
  await stepAt(true);
  await stepAt(true);
  assert.deepEqual(stage.names(), ["store_unhealthy"]);
  await stepAt(true);
  await stepAt(false);
  await stepAt(true);
  await stepAt(false);
  await stepAt(false);
  assert.deepEqual(stage.names(), ["store_unhealthy", "store_healthy"]);
  const [away, back] = receiver.requests.map(parseBody);
  const since = new Date(sinceMs).toISOString().replace("Z", "+00:00");
  assert.deepEqual([away?.["node"], away?.["since"], back?.["unhealthy_since"]], ["node-1:7", since, since]);

  receiver.script = () => ({ status: 500 });
  await clock.advance(minutesMs(10));
  await stepAt(true);
  await stepAt(true);
  receiver.script = () => ({});
  await stepAt(true);
  const ids = receiver.requests.slice(2).map(({ headers }) => headers["webhook-id"]);
  assert.equal(ids.length, 2);
  assert.equal(new Set(ids).size, 1, "what was not taken is told again with the same id");
});

test("a store that answers nothing at all is away too", async () => {
  await using stage = await openStage(() => ({ probe: () => new Promise(() => {}) }));
  const { alerts } = stage;
  const { clock } = stage.world;
  for (let probes = 0; probes < 2; probes += 1) {
    const stepped = alerts.step();
    await clock.advance(secondsMs(5));
    await stepped;
  }
  assert.deepEqual(stage.names(), ["store_unhealthy"]);
});

test("and is told of while what was asked of it before still hangs", async () => {
  const hanging = Promise.withResolvers<never>();
  let probes = 0;
  await using stage = await openStage(() => ({
    probe: () => (probes++ === 0 ? Promise.resolve() : Promise.reject(new StoreUnavailable("no"))),
    countWaiting: () => hanging.promise,
  }));
  stage.alerts.start();
  while (probes < 3) await stage.world.clock.advance(secondsMs(10));
  await stage.receiver.received(1);
  assert.deepEqual(stage.names(), ["store_unhealthy"]);
  hanging.reject(new StoreUnavailable("no"));
});

test("an alert of the store that is not taken is a failure in the log", async () => {
  await using stage = await openStage(() => ({ probe: () => Promise.reject(new StoreUnavailable("no")) }));
  stage.receiver.script = () => ({ status: 401 });
  await stage.alerts.step();
  await stage.alerts.step();
  assert.deepEqual(stage.failures, ["status 401"]);
});
