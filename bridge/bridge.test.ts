/**
 * The core without a broker: a source in memory that keeps the rules of `port.ts`, a Bellwire that answers as the test
 * says, and a clock of the test's own.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSeededRandom } from "../test/kit/world/seeded-random.ts";
import { type VirtualClock, createVirtualClock, settled } from "../test/kit/world/virtual-clock.ts";
import { toValue } from "../test/kit/world/world.ts";
import { parseSubjectRule } from "./option-text.ts";
import { Bridge } from "./bridge.ts";
import type { DeadLetter, Message, Source } from "./port.ts";
import { createPost } from "./post-records.ts";
import type { BridgeReport, HeldFact } from "./report.ts";

interface Call {
  readonly atMs: number;
  readonly account: string;
  readonly lines: readonly string[];
}

type Answering = (call: Call) => Response | Promise<Response>;

const accepted =
  (duplicate = false): Answering =>
  ({ lines }) =>
    new Response(
      lines
        .map((_, index) => `{"line":${index + 1},"event_id":"evt","deliveries":0,"duplicate":${duplicate}}\n`)
        .join(""),
    );
const status = (code: number, headers: Record<string, string> = {}, body = ""): Response =>
  new Response(body, { status: code, headers });
const unreachable: Answering = () => {
  throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
};

class MemorySource implements Source {
  readonly keepEveryMs = 10_000;
  readonly letterBytesMax = 2_000;
  canDelay = true;
  waiting: Message[] = [];
  readonly acknowledged: Message[] = [];
  readonly givenBack: { readonly message: Message; readonly delayMs: number }[] = [];
  readonly letters: DeadLetter[] = [];
  kept = 0;
  lettersFail = false;
  isClosed = false;
  #wake: () => void = () => {};

  add(...messages: readonly Message[]): void {
    this.waiting.push(...messages);
    this.#wake();
  }

  async pull(countMax: number, signal: AbortSignal): Promise<readonly Message[]> {
    if (this.waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve());
      });
    }
    return signal.aborted ? [] : this.waiting.splice(0, countMax);
  }

  async acknowledge(messages: readonly Message[]): Promise<void> {
    this.acknowledged.push(...messages);
  }

  async giveBack(messages: readonly Message[], delayMs: number): Promise<void> {
    for (const each of messages) this.givenBack.push({ message: each, delayMs });
  }

  async keep(messages: readonly Message[]): Promise<void> {
    this.kept += messages.length;
  }

  async sendDeadLetters(letters: readonly DeadLetter[]): Promise<void> {
    if (this.lettersFail) throw new Error("the dead letters' queue is full");
    this.letters.push(...letters);
  }

  countWaiting = async (): Promise<number> => this.waiting.length;

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
  }
}

interface World {
  readonly source: MemorySource;
  readonly clock: VirtualClock;
  readonly calls: Call[];
  readonly held: HeldFact[];
  readonly bridge: Bridge;
  answer: Answering;
}

function openWorld(inHandMax = 100): World {
  const source = new MemorySource();
  const clock = createVirtualClock();
  const calls: Call[] = [];
  const held: HeldFact[] = [];
  const fetch = async (url: string, { body }: RequestInit): Promise<Response> => {
    const [, account = ""] = /accounts\/([^/]+)\//.exec(url) ?? [];
    const call = { atMs: clock.monotonicMs(), account, lines: (body as string).trimEnd().split("\n") };
    calls.push(call);
    return await world.answer(call);
  };
  const outside = { fetch, nowMs: clock.monotonicMs, chance: () => 0, wait: async () => {} };
  const quiet = (): void => {};
  const report: BridgeReport = {
    pulled: quiet,
    forwarded: quiet,
    refused: quiet,
    acknowledged: quiet,
    gaveBack: quiet,
    heldBack: (fact) => void held.push(fact),
    resumed: quiet,
    brokerFailed: quiet,
  };
  const rules = {
    bridgeSubject: toValue(parseSubjectRule("{account}")),
    bridgeAccount: "",
    bridgeEvent: "demo_viewed",
    bridgeInHandMax: inHandMax,
  } as const;
  const post = createPost({ url: "http://bellwire", key: "key", outside });
  const bridge = new Bridge({ source, post, rules, clock, random: createSeededRandom(1), report });
  const world: World = { source, clock, calls, held, bridge, answer: accepted() };
  bridge.start();
  return world;
}

function message(account: string, text: string, changes: Partial<Message> = {}): Message {
  const body = Buffer.from(JSON.stringify({ text }));
  return { subject: account, key: null, headers: {}, body, partition: "0", ...changes };
}

const texts = (lines: readonly string[]): string[] => lines.map((line) => (JSON.parse(line) as { text: string }).text);
const bodies = (messages: readonly Pick<Message, "body">[]): string[] =>
  texts(messages.map(({ body }) => Buffer.from(body).toString()));

/** Promises settle, and nothing else happens. */
async function still(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await settled();
}

describe("a bridge", () => {
  test("posts a partition's records of one account in their order, the next batch after the answer", async () => {
    const world = openWorld();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    world.answer = async (call) => {
      if (world.calls.length === 1) await answered;
      return await accepted()(call);
    };
    world.source.add(message("acme", "1"));
    await still();
    world.source.add(message("acme", "2"), message("globex", "a"), message("acme", "3"));
    await still();
    assert.deepEqual(
      world.calls.map(({ account, lines }) => [account, texts(lines)]),
      [
        ["acme", ["1"]],
        ["globex", ["a"]],
      ],
    );
    answer();
    await still();
    assert.deepEqual(texts(world.calls[2]?.lines ?? []), ["2", "3"]);
    assert.deepEqual(bodies(world.source.acknowledged), ["a", "1", "2", "3"]);
    await world.bridge.stop(1_000);
  });

  test("acknowledges nothing before its result", async () => {
    const world = openWorld();
    world.answer = () => new Promise(() => {});
    world.source.add(message("acme", "1"));
    await still();
    assert.equal(world.calls.length, 1);
    assert.deepEqual(world.source.acknowledged, []);
  });

  test("waits as long as Retry-After asks, while other accounts go on", async () => {
    const world = openWorld();
    world.answer = (call) => (call.account === "acme" ? status(503, { "retry-after": "30" }) : accepted()(call));
    world.source.add(message("acme", "1"), message("globex", "a"));
    await still();
    await world.clock.advance(29_000);
    world.source.add(message("globex", "b"));
    await still();
    assert.deepEqual(bodies(world.source.acknowledged), ["a", "b"]);
    assert.equal(world.calls.filter(({ account }) => account === "acme").length, 1);
    world.answer = accepted();
    await world.clock.advance(2_000);
    await still();
    assert.deepEqual(bodies(world.source.acknowledged), ["a", "b", "1"]);
    await world.bridge.stop(1_000);
  });

  test("waits for a 429 as for a 503, and asks no more often than it was told", async () => {
    const world = openWorld();
    world.answer = () => status(429, { "retry-after": "20" });
    world.source.add(message("acme", "1"));
    for (let second = 0; second < 61; second += 1) await world.clock.advance(1_000);
    assert.equal(world.calls.length, 4);
    assert.deepEqual([world.source.letters, world.source.acknowledged], [[], []]);
    world.answer = accepted();
    await world.clock.advance(20_000);
    await still();
    assert.equal(world.source.acknowledged.length, 1);
    await world.bridge.stop(1_000);
  });

  test("sends fewer records at once where a proxy before Bellwire takes smaller calls, and loses none", async () => {
    const world = openWorld();
    world.answer = (call) =>
      call.lines.join("").length > 100 ? status(413, {}, "<html>too large</html>") : accepted()(call);
    const all = Array.from({ length: 40 }, (_, index) => message("acme", `${index}`));
    world.source.add(...all, message("globex", "x".repeat(200)));
    for (let second = 0; second < 5; second += 1) await world.clock.advance(1_000);
    assert.deepEqual(bodies(world.source.acknowledged), bodies(all));
    // One record alone cannot be made smaller: it waits, and the reason says why.
    assert.match(world.held.at(-1)?.reason ?? "", /status 413/);
    assert.deepEqual(world.source.letters, []);
    await world.bridge.stop(1_000);
  });

  test("asks a Bellwire that is away for a minute a few times only, and loses nothing", async () => {
    const world = openWorld(20);
    world.answer = unreachable;
    const all = Array.from({ length: 60 }, (_, index) => message(`account-${index % 12}`, `${index}`));
    world.source.canDelay = false;
    world.source.add(...all);
    for (let second = 0; second < 60; second += 1) await world.clock.advance(1_000);
    assert.ok(world.calls.length < 200, `${world.calls.length} calls in a minute`);
    assert.equal(world.source.waiting.length, 40, "no more is taken than may be in hand");
    assert.match((await world.bridge.now()).trouble ?? "", /does not take records: ECONNREFUSED/);
    assert.ok(world.source.kept >= 20 * 5, "the broker is told that they are still in hand");
    world.answer = accepted();
    for (let second = 0; second < 30; second += 1) await world.clock.advance(1_000);
    assert.deepEqual(new Set(bodies(world.source.acknowledged)), new Set(bodies(all)));
    assert.equal(world.source.acknowledged.length, 60);
    assert.deepEqual(world.source.letters, []);
    await world.bridge.stop(1_000);
  });

  test("gives a held account's messages back with the pause when they fill the hand", async () => {
    const world = openWorld(10);
    world.answer = (call) => (call.account === "acme" ? status(503, { "retry-after": "60" }) : accepted()(call));
    world.source.add(...Array.from({ length: 10 }, (_, index) => message("acme", `${index}`)), message("globex", "a"));
    await still();
    assert.equal(world.source.givenBack.length, 10);
    assert.ok(world.source.givenBack.every(({ delayMs }) => delayMs === 60_000));
    assert.deepEqual(bodies(world.source.acknowledged), ["a"]);
    assert.equal(world.calls.filter(({ account }) => account === "acme").length, 1);
  });

  for (const [what, answer] of [
    ["the key is wrong", () => status(401, {}, '{"status":401,"code":"unauthorized","detail":"no"}')],
    ["something else answers", () => status(404, {}, "<html>not found</html>")],
    ["a proxy answers 200 with a page", () => status(200, {}, "<html>welcome</html>")],
  ] as const) {
    test(`holds everything back when ${what}`, async () => {
      const world = openWorld();
      world.answer = answer;
      world.source.add(message("acme", "1"));
      await world.clock.advance(60_000);
      assert.ok(world.held.length > 3);
      assert.deepEqual([world.source.letters, world.source.acknowledged], [[], []]);
      world.answer = accepted();
      await world.clock.advance(20_000);
      assert.equal(world.source.acknowledged.length, 1);
      await world.bridge.stop(1_000);
    });
  }

  test("sends the one record on which Bellwire fails again and again to the dead letters, and no other", async () => {
    const world = openWorld();
    world.answer = (call) => (texts(call.lines).includes("bad") ? status(500) : accepted()(call));
    world.source.add(message("acme", "1"), message("acme", "bad"), message("acme", "2"));
    for (let second = 0; second < 200; second += 1) await world.clock.advance(1_000);
    assert.deepEqual(bodies(world.source.letters), ["bad"]);
    assert.equal(world.source.letters[0]?.headers["bellwire-reason"], "internal_error");
    assert.deepEqual(bodies(world.source.acknowledged), ["1", "bad", "2"]);
    await world.bridge.stop(1_000);
  });

  test("acknowledges a refused message only when its dead letter is stored", async () => {
    const world = openWorld();
    world.source.lettersFail = true;
    world.source.add(message("acme", "1", { headers: { "bellwire-event": "Demo watched" } }));
    await world.clock.advance(5_000);
    assert.deepEqual(world.source.acknowledged, []);
    world.source.lettersFail = false;
    await world.clock.advance(20_000);
    assert.equal(world.source.letters[0]?.headers["bellwire-reason"], "unknown_event");
    assert.equal(world.source.acknowledged.length, 1);
    await world.bridge.stop(1_000);
  });

  test("leaves out the body of a dead letter that the broker could not take", async () => {
    const world = openWorld();
    world.source.add(message("not an account", "1", { body: Buffer.alloc(1_900, "x") }));
    await still();
    const [letter] = world.source.letters;
    assert.equal(letter?.body.length, 0);
    assert.equal(letter?.headers["bellwire-body-left-out"], "1900 bytes");
    assert.equal(world.source.acknowledged.length, 1);
  });

  test("gives back what is not finished when its time to stop is over, and closes the source", async () => {
    const world = openWorld();
    world.answer = () => new Promise(() => {});
    world.source.add(message("acme", "1"), message("globex", "2"));
    await still();
    const stopped = world.bridge.stop(5_000);
    await world.clock.advance(5_000);
    await stopped;
    assert.deepEqual(bodies(world.source.givenBack.map(({ message: given }) => given)), ["1", "2"]);
    assert.ok(world.source.isClosed);
    assert.deepEqual(world.source.acknowledged, []);
  });
});
