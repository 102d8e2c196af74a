/**
 * One sender waits for each 202 and goes to the nodes in turn; a node is killed on the way with `kill -9`. Asserts that
 * the receiver, which fails now and then, is sent each event only when all that were answered before it have arrived.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setUpAccount } from "../test/kit/process/account.ts";
import { conversationRecord } from "../test/kit/process/records.ts";
import { drained, freePort, type Running, SHORT_RETRIES, startService } from "../test/kit/process/running.ts";
import { newFolder } from "../test/kit/folder.ts";
import { type Receiver, startReceiver } from "../test/kit/servers/receiver.ts";
import { createSeededRandom } from "../test/kit/world/seeded-random.ts";
import { uuid } from "../test/kit/world/world.ts";

const FAILS_EVERY = 20;
const ANSWER_MS_MAX = 60;
/** A dead node's claim runs out after a minute. */
const ENOUGH_MS = 180_000;

export interface OrderUnderKills {
  readonly events: number;
  /** How far ahead the clock of each node is. */
  readonly clocksAheadMs: readonly number[];
  readonly database?: string;
}

export async function keepOrder(t: TestContext, { events, clocksAheadMs, database }: OrderUnderKills): Promise<void> {
  using folder = newFolder();
  const dataDir = `${folder.path}/data`;
  const random = createSeededRandom(47);
  await using receiver = await startReceiver(({ number }) => ({
    status: number % FAILS_EVERY === 0 ? 503 : 200,
    delayMs: Math.floor(random.unit() * ANSWER_MS_MAX),
  }));
  const webhook = { url: `${receiver.url}/hook`, oneAtATime: true } as const;
  await setUpAccount({
    dataDir,
    ...(database === undefined ? {} : { database }),
    webhooks: [{ ...webhook, events: [{ type: "chat_conversation_completed", conditions: null }] }],
  });
  const ports = await Promise.all(clocksAheadMs.map(() => freePort()));
  const start = (place: number): Promise<Running> =>
    startService({
      dataDir,
      port: ports[place] ?? 0,
      program: [SHORT_RETRIES],
      env: {
        BELLWIRE_LOG_LEVEL: "warn",
        E2E_CLOCK_AHEAD_MS: String(clocksAheadMs[place]),
        ...(database === undefined ? {} : { BELLWIRE_DATABASE: database }),
      },
    });
  const nodes = await Promise.all(clocksAheadMs.map((_, place) => start(place)));
  await using processes = new AsyncDisposableStack();
  processes.defer(async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))));

  const startedMs = performance.now();
  for (let n = 1; n <= events; n += 1) {
    if (n === Math.floor(events / 2)) {
      // In the middle of an attempt, most likely.
      await receiver.received(Math.floor(n / 2));
      await nodes[0]?.crash();
      nodes[0] = await start(0);
    }
    await post(nodes[n % nodes.length], n);
  }
  const [first] = nodes;
  assert.ok(first !== undefined);
  await drained(first, ENOUGH_MS);
  const tookMs = performance.now() - startedMs;

  const sent = receiver.requests.map(numberOf);
  const again = sent.length - events;
  t.diagnostic(
    `${events} events in ${Math.round(tookMs / 1_000)} s, ${sent.length} requests, ${countSteps(sent)} steps back, ` +
      `${again} more than once`,
  );
  assert.deepEqual(
    sent.filter((n, place) => n !== sent[place - 1]),
    Array.from({ length: events }, (_, place) => place + 1),
  );
  assert.ok(again >= Math.floor(events / FAILS_EVERY), "the receiver failed some");
}

/** Until it has its 202: a node may be on its way up. */
async function post(node: Running | undefined, n: number): Promise<void> {
  assert.ok(node !== undefined);
  const answer = await node.post("chat-conversations", conversationRecord(uuid(n), "bot"));
  assert.equal(answer.status, 202, answer.text);
}

function numberOf({ body }: Receiver["requests"][number]): number {
  const [, digits = ""] = /0{8}-0{4}-4000-8000-(\d{12})/.exec(body.toString()) ?? [];
  return Number(digits);
}

const countSteps = (sent: readonly number[]): number => sent.filter((n, place) => n < (sent[place - 1] ?? 0)).length;
