/**
 * The service is stopped in the middle of its work (SIGSTOP: a virtual machine that is moved, a laptop that sleeps)
 * and goes on later without having noticed. A short stop must not even send something twice. One that outlasts every
 * claim may, for what had arrived and was not settled; never before the claim had run out.
 */
import assert from "node:assert/strict";
import { openDeliveries, pendingDeliveries } from "../test/kit/process/database-file.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { pause } from "../test/kit/wait.ts";
import { type Scenario, type ScenarioOptions, kept } from "./scenario.ts";
import { type Conclusion, type Scene, conclude, openForReading, openScene, summarize } from "./scene.ts";
import { inFullSwing, readArrivals } from "./under-load.ts";

/** Far below the deadline of an attempt, 15 s. */
const SHORT_MS = 2_000;
/** How much longer than the last claim. */
const MARGIN_MS = 3_000;
/** A claim is 60 s; more than that would be a fault of ours, and this scenario would wait for it. */
const CLAIM_MS_MAX = 90_000;
/** That of a delivery in memory begins a moment before its event is accepted. */
const CLAIM_MS = 59_900;
/** Bytes that were written before the stop are in the receiver's hands after this. */
const READ_MS = 500;
/** Deliveries. */
const SWING = 200;
const DRAIN_MS_MAX = 60_000;

export const freeze: Scenario = {
  name: "freeze",
  forMsMax: 240_000,
  async run(options) {
    const short = await freezeShortly(options);
    if (options.isQuick) return kept(`SIGSTOP for ${SHORT_MS / 1000} s: ${summarize(short)} (quick: no longer one)`);
    const { found, frozenMs } = await freezeBeyondClaims(options);
    return kept(
      `SIGSTOP for ${SHORT_MS / 1000} s: ${summarize(short)}; for ${Math.round(frozenMs / 1000)} s, longer than ` +
        `every claim: ${summarize(found)} of ${found.inFlight} in flight, none before its claim ran out`,
    );
  },
};

async function freezeShortly({ folder }: ScenarioOptions): Promise<Conclusion> {
  await using receivers = await startReceivers();
  await using scene = await openFrozenScene(`${folder}/short`, receivers.all);
  await inFullSwing(scene, SWING);
  scene.service().child.kill("SIGSTOP");
  await pause(SHORT_MS);
  scene.service().child.kill("SIGCONT");
  await inFullSwing(scene, SWING);
  const found = await conclude(scene, DRAIN_MS_MAX);
  assert.equal(found.duplicates, 0, "sent twice although no claim ran out");
  return found;
}

async function freezeBeyondClaims({ folder }: ScenarioOptions) {
  await using receivers = await startReceivers();
  await using scene = await openFrozenScene(`${folder}/long`, receivers.all);
  await inFullSwing(scene, SWING);
  scene.service().child.kill("SIGSTOP");
  await pause(READ_MS);
  const claims = claimEnds(scene.dataDir);
  assert.ok(claims.size > 0, "nothing was claimed when the service was stopped");
  scene.witness.endLife(pendingDeliveries(scene.dataDir));
  const frozenMs = Math.max(...claims.values()) - Date.now() + MARGIN_MS;
  assert.ok(frozenMs < CLAIM_MS_MAX, `a claim that lasts ${frozenMs} ms more`);
  await pause(frozenMs);
  scene.service().child.kill("SIGCONT");
  await inFullSwing(scene, SWING);
  const found = await conclude(scene, DRAIN_MS_MAX);
  assert.deepEqual(found.unexplained, [], "sent twice without having been in flight at the stop");
  assert.deepEqual(sentWhileClaimed(receivers.all, claims), [], "sent again before the claim ran out");
  return { found, frozenMs };
}

async function startReceivers() {
  const chat = await startReceiver();
  const slow = await startReceiver({ delayMs: 100 });
  const all = [chat, slow];
  return {
    all,
    async [Symbol.asyncDispose]() {
      for (const receiver of all) await receiver[Symbol.asyncDispose]();
    },
  };
}

async function openFrozenScene(folder: string, receivers: readonly Receiver[]): Promise<Scene> {
  const [chat, slow] = receivers;
  assert.ok(chat !== undefined && slow !== undefined);
  const assistants = { sales: chat.url, support: slow.url };
  return await openScene({ folder, receivers, alerts: [{ url: chat.url }], assistants, callers: 4, retriesSoon: true });
}

/** When each claim that is held now runs out, by delivery. */
function claimEnds(dataDir: string): ReadonlyMap<string, number> {
  using database = openForReading(dataDir);
  const rows = database.read<{ id: string; dueAtMs: number }>(
    `select id, due_at as "dueAtMs" from deliveries where state = 'pending' and claim_token is not null`,
  );
  const open = openDeliveries(dataDir).map(({ id, acceptedAtMs }) => [id, acceptedAtMs + CLAIM_MS] as const);
  return new Map([...rows.map(({ id, dueAtMs }) => [id, dueAtMs] as const), ...open]);
}

/** Deliveries that came again, after the stop, while the claim of the stop still held. */
function sentWhileClaimed(receivers: readonly Receiver[], claims: ReadonlyMap<string, number>): string[] {
  const arrivals = readArrivals(receivers);
  return [...claims].flatMap(([id, untilMs]) => {
    const again = (arrivals.get(id) ?? []).toSorted((a, b) => a - b).slice(1);
    return again.some((atMs) => atMs < untilMs) ? [id] : [];
  });
}
