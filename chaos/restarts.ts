/**
 * The service ends again and again under load, by `kill -9` or by SIGTERM, and is started again on the same file.
 *
 * After a kill a delivery may be sent twice only if it had arrived and was not yet settled in the store. After a
 * SIGTERM none may: an orderly stop waits for what is in flight.
 */
import assert from "node:assert/strict";
import { pendingDeliveries } from "../test/kit/process/database-file.ts";
import { type Running } from "../test/kit/process/running.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { type Outcome, type Scenario, type ScenarioOptions, kept } from "./scenario.ts";
import { type Conclusion, type Scene, allRead, conclude, openScene, summarize } from "./scene.ts";

const KILLS = 100;
const STOPS = 20;
const QUICK_TIMES = 4;
const STOP_DEADLINE_MS = 5_000;
const DRAIN_MS_MAX = 30_000;

export const kills: Scenario = {
  name: "kills",
  forMsMax: 1_200_000,
  async run(options) {
    const { times = options.isQuick ? QUICK_TIMES : KILLS } = options;
    const found = await restart(options, times, (service) => service.crash());
    assert.deepEqual(found.unexplained, [], "sent twice without having been in flight at a kill");
    assert.ok(found.duplicates <= found.inFlight, `${found.duplicates} sent twice, ${found.inFlight} in flight`);
    return kept(`${times} x kill -9: ${summarize(found)}, each of ${found.inFlight} in flight at the kills`);
  },
};

export const stops: Scenario = {
  name: "stops",
  forMsMax: 600_000,
  async run(options): Promise<Outcome> {
    const { times = options.isQuick ? QUICK_TIMES : STOPS } = options;
    const tookMs: number[] = [];
    const found = await restart(options, times, async (service) => {
      const exit = await service.stop();
      assert.equal(exit.code, 0, `SIGTERM ended with ${exit.code}: ${service.child.err.text}`);
      tookMs.push(exit.tookMs);
    });
    const slowest = Math.round(Math.max(...tookMs));
    assert.equal(found.duplicates, 0, "deliveries sent twice");
    assert.ok(slowest < STOP_DEADLINE_MS, `a stop took ${slowest} ms of ${STOP_DEADLINE_MS}`);
    return kept(`${times} x SIGTERM: ${summarize(found)}, slowest ${slowest} ms of ${STOP_DEADLINE_MS}`);
  },
};

async function restart(
  { folder }: ScenarioOptions,
  times: number,
  end: (service: Running) => Promise<void>,
): Promise<Conclusion> {
  await using first = await startReceiver();
  await using second = await startReceiver();
  await using chat = await startReceiver();
  // Answers late, so that something is always in flight.
  await using slow = await startReceiver({ delayMs: 100 });
  await using scene = await openScene({
    folder,
    receivers: [first, second, chat, slow],
    alerts: [{ url: first.url }, { url: second.url }, { url: slow.url, intentLevels: ["low"] }],
    assistants: { sales: chat.url, support: slow.url },
    callers: 8,
    env: { BELLWIRE_SHUTDOWN_DEADLINE_SECONDS: String(STOP_DEADLINE_MS / 1000) },
  });
  for (let time = 0; time < times; time += 1) await endInFullSwing(scene, first, end);
  return await conclude(scene, DRAIN_MS_MAX);
}

async function endInFullSwing(scene: Scene, first: Receiver, end: (service: Running) => Promise<void>): Promise<void> {
  // Each time at another moment of it.
  await scene.load.during(first.received(first.requests.length + 20 + Math.floor(Math.random() * 150)));
  await end(scene.service());
  await allRead(scene);
  scene.witness.endLife(pendingDeliveries(scene.dataDir));
  await scene.startAgain();
}
