/**
 * The bridge in bad company: messages that can never be events, large ones, a place for
 * dead letters that is away, and a stop under load. Part of the suite that every broker runs.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestBroker, TestMessage, TestSource } from "../../test/kit/brokers/broker.ts";
import { eventually, soon } from "../../test/kit/wait.ts";
import { type RunningBridge, type Stage, assertEvents, messagesFrom, recordText, toMessage } from "./stage.ts";

export interface HostileParams {
  readonly name: string;
  readonly broker: () => TestBroker;
  readonly staged: (run: (stage: Stage, source: TestSource) => Promise<void>) => () => Promise<void>;
}

const ACME = { account: "acme", event: "demo_viewed" } as const;
const NDJSON = { "content-type": "application/x-ndjson" };
const HAND_BYTES_MAX = 64 * 1024 * 1024;

const named = (account: string): Partial<TestMessage> => ({
  isNameless: true,
  headers: { "bellwire-account": account, "bellwire-event": "demo_viewed" },
});

export function testHostile({ name, broker, staged }: HostileParams): void {
  test(
    "goes on behind poison, and each has its letter with the reason",
    staged(async (stage, source) => {
      const poison = listPoison(broker());
      await source.publish([...poison.map(({ message }) => message), toMessage(6, ACME)]);
      const bridge = await stage.startBridge(name, source);
      await stage.untilEvents(1);
      await untilAcknowledged(source);
      assertEvents(stage, [6]);
      const reasons = (await source.deadLetters()).map(({ headers }) => headers["bellwire-reason"] ?? "");
      const expected = poison.flatMap(({ reason }) => (reason === null ? [] : [reason]));
      assert.deepEqual(reasons.toSorted(), expected.toSorted());
      assert.equal(await bridge.stop(), 0);
    }),
  );

  test(
    "makes 49 events of a batch of 50 lines with a bad one",
    staged(async (stage, source) => {
      const numbers = Array.from({ length: 50 }, (_, index) => (index + 1) * 6);
      const lines = numbers.map((number, index) =>
        index === 20 ? `{"id":"${"x".repeat(40)}` : recordText("demo_viewed", number),
      );
      await source.publish([toMessage(0, { ...ACME, headers: NDJSON, body: lines.join("\n") })]);
      const bridge = await stage.startBridge(name, source);
      await untilAcknowledged(source);
      assertEvents(stage, numbers.toSpliced(20, 1));
      const [letter, ...more] = await source.deadLetters();
      assert.deepEqual(more, []);
      assert.deepEqual([letter?.headers["bellwire-line"], letter?.body], ["21", lines[20]]);
      assert.equal(await bridge.stop(), 0);
    }),
  );

  test(
    "stores letters that are together more than the broker takes in one call",
    staged(async (stage, source) => {
      const body = "x".repeat(Math.floor(broker().messageBytesMax / 2));
      await source.publish(Array.from({ length: 6 }, () => toMessage(0, { ...ACME, body })));
      const bridge = await stage.startBridge(name, source);
      await untilAcknowledged(source);
      const letters = await source.deadLetters();
      assert.deepEqual(
        letters.map((letter) => letter.body.length),
        Array.from({ length: 6 }, () => body.length),
      );
      assert.equal(await bridge.stop(), 0);
    }),
  );

  test("leaves large messages to the broker when it has 64 MiB in hand", async (t) => {
    const { messageBytesMax } = broker();
    if (messageBytesMax < 500_000) return t.skip("its messages are too small to fill a hand");
    await staged(async (stage, source) => {
      // Calls that get no answer: a refusal would make a full bridge give messages back.
      stage.network.weather = { kind: "black_hole" };
      const body = `{"a":"${"x".repeat(messageBytesMax - 8)}"}`;
      // As many again may have arrived and wait to be taken.
      const count = Math.ceil((2.5 * HAND_BYTES_MAX) / messageBytesMax);
      await source.publish(Array.from({ length: count }, () => toMessage(0, { ...ACME, body })));
      const bridge = await stage.startBridge(name, source);
      const inHand = () => bridge.metric("bellwire_bridge_in_hand_messages");
      await eventually("a full hand", async () => ((await inHand()) ?? 0) * messageBytesMax > HAND_BYTES_MAX / 2);
      const fits = (found: number | null): boolean => (found ?? 0) * messageBytesMax < 1.2 * HAND_BYTES_MAX;
      assert.ok(fits(await inHand()), `${await inHand()} in hand`);
      const left = await untilStill(() => bridge.metric("bellwire_bridge_waiting_messages"));
      assert.ok(left > 0, "nothing is left that another bridge could have");
      assert.ok(fits(await inHand()), `${await inHand()} in hand`);
      stage.network.weather = { kind: "reset" };
      assert.equal(await bridge.stop(), 0);
    })();
  });

  test(
    "neither loses nor skips a refused message while the place for dead letters is away",
    staged(async (stage, source) => {
      const bridge = await stage.startBridge(name, source);
      {
        await using _ = await source.removeDeadLetters();
        await source.publish([toMessage(1, { isNameless: true }), toMessage(2)]);
        await eventually(
          "that the broker does not take the letter",
          async () => ((await bridge.metric("bellwire_bridge_broker_failures_total")) ?? 0) > 1,
        );
        await stage.untilEvents(1);
        assert.ok((await source.unacknowledged()) > 0, "the refused message is still the broker's");
      }
      await untilAcknowledged(source);
      assertEvents(stage, [2]);
      const reasons = (await source.deadLetters()).map(({ headers }) => headers["bellwire-reason"]);
      assert.deepEqual([...new Set(reasons)], ["no_account"]);
      assert.equal(await bridge.stop(), 0);
    }),
  );

  test("neither loses nor skips a refused message while the place for dead letters is full", async (t) => {
    await staged(async (stage, source) => {
      if (source.fillDeadLetters === undefined) return t.skip("its place for dead letters is never full");
      const bridge = await stage.startBridge(name, source);
      {
        await using _ = await source.fillDeadLetters();
        await source.publish([toMessage(1, { isNameless: true }), toMessage(3, { isNameless: true }), toMessage(2)]);
        await eventually("a second failure to store the letters", async () => (await countRefusals(bridge)) > 1);
        await stage.untilEvents(1);
        assert.ok((await source.unacknowledged()) > 0, "the refused messages are still the broker's");
        assert.deepEqual(await source.deadLetters(), []);
      }
      await untilAcknowledged(source);
      assertEvents(stage, [2]);
      const bodies = (await source.deadLetters()).map(({ body }) => body);
      assert.deepEqual(new Set(bodies), new Set([1, 3].map((number) => toMessage(number).body)));
      assert.equal(await bridge.stop(), 0);
    })();
  });

  test(
    "ends within its time when it is stopped under load, and leaves nothing that comes twice",
    staged(async (stage, source) => {
      const published = source.publish(messagesFrom(0, 400));
      for (let stops = 0; stops < 2; stops += 1) {
        await using stopped = stage.spawnBridge(name, source, {
          BELLWIRE_BRIDGE_IN_HAND_MAX: "40",
          BELLWIRE_SHUTDOWN_DEADLINE_SECONDS: "10",
        });
        const known = stage.eventCount();
        await eventually("events of this bridge", () => stage.eventCount() > known + 40);
        stopped.kill("SIGTERM");
        assert.deepEqual(await soon(stopped.exited, "its end", 15_000), { code: 0, signal: null });
        assert.match(stopped.err.text, /The bridge has stopped/);
      }
      await published;
      const made = stage.eventCount();
      const last = await stage.startBridge(name, source);
      await stage.untilEvents(400);
      await untilAcknowledged(source);
      assertEvents(stage, [...Array(400).keys()]);
      assert.equal(await last.metric("bellwire_bridge_records_total", 'result="accepted"'), 400 - made);
      const twice = await last.metric("bellwire_bridge_records_total", 'result="duplicate"');
      if (broker().mayRepeat !== true) assert.equal(twice, 0);
      assert.equal(await last.stop(), 0);
    }),
  );
}

interface Poison {
  readonly message: TestMessage;
  /** `null` where there is nothing to put aside. */
  readonly reason: string | null;
}

function listPoison({ isText = false, messageBytesMax }: TestBroker): Poison[] {
  const binary: Poison[] = [
    { message: toMessage(0, { ...ACME, body: Buffer.from([0xff, 0xfe, 0x00, 0x7b]) }), reason: "invalid_json" },
    { message: toMessage(0, { ...ACME, body: "" }), reason: "invalid_json" },
    { message: toMessage(0, { ...ACME, body: "", headers: NDJSON }), reason: null },
  ];
  return [
    { message: toMessage(0, { ...ACME, body: "not json" }), reason: "invalid_json" },
    { message: toMessage(0, { ...ACME, body: "{}" }), reason: "invalid_record" },
    { message: toMessage(0, { ...ACME, body: "[1,2]" }), reason: "invalid_record" },
    { message: toMessage(0, { ...ACME, body: "{\n1\n}" }), reason: "invalid_json" },
    { message: toMessage(0, { ...ACME, body: "\n \r\n", headers: NDJSON }), reason: null },
    { message: toMessage(0, { ...ACME, body: "x".repeat(messageBytesMax) }), reason: "invalid_json" },
    { message: toMessage(0, { ...ACME, body: "[".repeat(50_000) }), reason: "invalid_json" },
    { message: toMessage(0, named(".")), reason: "invalid_parameter" },
    { message: toMessage(0, named("..")), reason: "invalid_parameter" },
    { message: toMessage(0, named("../../v1/accounts/acme")), reason: "invalid_parameter" },
    { message: toMessage(0, named("acme?x=1#y")), reason: "invalid_parameter" },
    { message: toMessage(0, named("a".repeat(200))), reason: "invalid_parameter" },
    { message: toMessage(0, named("constructor")), reason: "account_not_found" },
    {
      message: toMessage(0, {
        isNameless: true,
        headers: { "bellwire-account": "acme", "bellwire-event": "__proto__" },
      }),
      reason: "unknown_event",
    },
    ...(isText ? [] : binary),
  ];
}

const countRefusals = async (bridge: RunningBridge): Promise<number> =>
  (await bridge.metric("bellwire_bridge_broker_failures_total")) ?? 0;

/** The value once it has stood still for longer than any fetch takes. */
async function untilStill(read: () => Promise<number | null>): Promise<number> {
  let last: number | null = null;
  let sinceMs = performance.now();
  await eventually("that the value stands still", async () => {
    const found = await read();
    if (found !== last) sinceMs = performance.now();
    last = found;
    return last !== null && performance.now() - sinceMs > STILL_MS;
  });
  return last ?? 0;
}

const STILL_MS = 6_000;

const untilAcknowledged = (source: TestSource): Promise<number> =>
  eventually("that all messages are acknowledged", async () => (await source.unacknowledged()) === 0);
