/**
 * The promises of a bridge, tested with a real broker and a real Bellwire; every broker runs this suite. The long
 * proofs (twenty kills, a minute away) are `npm run chaos -- --bridge <broker>`, on the same stage.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { OpenBroker, TestBroker, TestSource } from "../../test/kit/brokers/broker.ts";
import { eventually } from "../../test/kit/wait.ts";
import { testHostile } from "./hostile.ts";
import { uuid } from "./ids.ts";
import { type Stage, assertEvents, messagesFrom, openStage, recordText, toMessage, toMixedMessage } from "./stage.ts";

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

/** `name` is the command's word. Where the broker cannot run, one line says so. */
export function describeBridge(name: string, open: OpenBroker): void {
  if ("missing" in open) {
    test(`a bridge from ${name}`, { skip: open.missing }, () => {});
    return;
  }
  describe(`a bridge from ${name}`, () => {
    let broker: TestBroker;
    before(async () => {
      broker = await open.start();
    });
    after(() => broker[Symbol.asyncDispose]());

    /** Each test has a Bellwire and a source of its own. */
    const staged = (run: (stage: Stage, source: TestSource) => Promise<void>) => async () => {
      await using stage = await openStage();
      await run(stage, await broker.createSource());
    };
    /** Records that bridges posted: each once, where the broker brings each once. */
    const assertPosted = (found: number | null, expected: number): void => {
      if (broker.mayRepeat === true) assert.ok((found ?? 0) >= expected, `${found} of ${expected}`);
      else assert.equal(found, expected);
    };
    const allAcknowledged = (source: TestSource) =>
      eventually("that all messages are acknowledged", async () => (await source.unacknowledged()) === 0);

    testHostile({ name, broker: () => broker, staged });

    test(
      "makes each message one event, and acknowledges it",
      staged(async (stage, source) => {
        await source.publish(messagesFrom(0, 120));
        const bridge = await stage.startBridge(name, source);
        await stage.untilEvents(120);
        await allAcknowledged(source);
        assertEvents(stage, range(0, 120));
        await eventually(
          "that the lag is 0",
          async () => (await bridge.metric("bellwire_bridge_waiting_messages")) === 0,
        );
        assertPosted(await bridge.metric("bellwire_bridge_records_total"), 120);
        assert.equal(await bridge.stop(), 0);
      }),
    );

    test(
      "takes many records in one message, and each refused line goes to the dead letters with its reason",
      staged(async (stage, source) => {
        const headers = { "content-type": "application/x-ndjson" };
        const lines = [
          recordText("demo_viewed", 6),
          "",
          '{"id":"nonsense"}',
          recordText("demo_viewed", 12),
          "not json",
        ];
        const changes = { account: "acme", event: "demo_viewed" } as const;
        await source.publish([toMessage(0, { ...changes, headers, body: lines.join("\n") })]);
        const bridge = await stage.startBridge(name, source);
        await allAcknowledged(source);
        assertEvents(stage, [6, 12]);
        const letters = await source.deadLetters();
        assert.deepEqual(
          letters.map(({ body, headers: given }) => [body, given["bellwire-reason"], given["bellwire-line"]]),
          [
            ['{"id":"nonsense"}', "invalid_record", "3"],
            ["not json", "invalid_json", "5"],
          ],
        );
        assert.match(letters[0]?.headers["bellwire-detail"] ?? "", /id must/);
        assert.equal(await bridge.stop(), 0);
      }),
    );

    test(
      "puts what can never be an event into the dead letters, and goes on behind it",
      staged(async (stage, source) => {
        const secret = { authorization: "Bearer canary" };
        await source.publish([
          toMessage(1, { isNameless: true, headers: secret }),
          toMessage(2, { account: "unknown" }),
          toMessage(3, { body: "" }),
          toMessage(4, {
            isNameless: true,
            headers: { "bellwire-account": "globex", "bellwire-event": "demo_viewed" },
          }),
        ]);
        const bridge = await stage.startBridge(name, source);
        await allAcknowledged(source);
        assertEvents(stage, [4]);
        const letters = await source.deadLetters();
        const reasons = letters.map(({ headers }) => headers["bellwire-reason"] ?? "");
        assert.deepEqual(reasons.toSorted(), ["account_not_found", "invalid_json", "no_account"]);
        assert.ok(
          letters.some(({ body }) => body.includes(uuid(1))),
          "the record is in its letter as it came",
        );
        assert.ok(!JSON.stringify(letters).includes("canary"), "headers that are not ours stay behind");
        assert.equal(await bridge.metric("bellwire_bridge_records_refused_total"), 3);
        assert.equal(await bridge.stop(), 0);
      }),
    );

    test(
      "loses and doubles nothing when it is killed under load, of built-in types and of a declared one",
      staged(async (stage, source) => {
        const published = source.publish(range(0, 600).map(toMixedMessage));
        for (let kills = 0; kills < 2; kills += 1) {
          await using killed = stage.spawnBridge(name, source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "40" });
          const known = stage.events().length;
          await eventually("events of this bridge", () => stage.events().length > known + 50);
          killed.kill("SIGKILL");
          await killed.exited;
        }
        await published;
        const bridge = await stage.startBridge(name, source);
        await stage.untilEvents(600);
        await allAcknowledged(source);
        assertEvents(stage, range(0, 600), toMixedMessage);
        assert.equal(await bridge.stop(), 0);
      }),
    );

    test(
      "goes on when the broker has crashed and is back",
      staged(async (stage, source) => {
        const bridge = await stage.startBridge(name, source);
        await source.publish(messagesFrom(0, 30));
        await stage.untilEvents(10);
        await broker.restart(async () => {
          await eventually("that the bridge is not ready", async () => (await bridge.get("/readyz")).status === 503);
        });
        await source.publish(messagesFrom(30, 30));
        await stage.untilEvents(60);
        await allAcknowledged(source);
        assertEvents(stage, range(0, 60));
        assert.equal(await bridge.stop(), 0);
      }),
    );

    test(
      "holds back while Bellwire is away, never has more in hand than it may, and says so",
      staged(async (stage, source) => {
        stage.network.weather = { kind: "reset" };
        await source.publish(messagesFrom(0, 60));
        const bridge = await stage.startBridge(name, source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "20" });
        await eventually("20 in hand", async () => (await bridge.metric("bellwire_bridge_in_hand_messages")) === 20);
        await eventually("that it is not ready", async () => (await bridge.get("/readyz")).status === 503);
        assert.match((await bridge.get("/readyz")).text, /Bellwire does not take records/);
        assert.equal(await source.unacknowledged(), 60);
        assert.equal((await bridge.get("/healthz")).status, 200);
        stage.network.weather = { kind: "clear" };
        await stage.untilEvents(60);
        await allAcknowledged(source);
        assertEvents(stage, range(0, 60));
        assert.equal((await source.deadLetters()).length, 0);
        assert.equal((await bridge.get("/readyz")).status, 200);
        assert.equal(await bridge.stop(), 0);
      }),
    );

    test(
      "acknowledges what is in hand when it is stopped, and gives back what Bellwire does not take",
      staged(async (stage, source) => {
        await source.publish(messagesFrom(0, 300));
        const first = await stage.startBridge(name, source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "50" });
        await stage.untilEvents(1);
        assert.equal(await first.stop(), 0);
        const made = stage.events().length;
        await eventually(
          "that no event is left unacknowledged",
          async () => (await source.unacknowledged()) === 300 - made,
        );
        stage.network.weather = { kind: "reset" };
        const second = await stage.startBridge(name, source);
        await eventually("messages in hand", async () => ((await second.metric("bellwire_bridge_held_back")) ?? 0) > 0);
        assert.equal(await second.stop(), 0);
        stage.network.weather = { kind: "clear" };
        const third = await stage.startBridge(name, source);
        await stage.untilEvents(300);
        await allAcknowledged(source);
        assertEvents(stage, range(0, 300));
        assertPosted(await third.metric("bellwire_bridge_records_total"), 300 - made);
        assert.equal(await third.stop(), 0);
      }),
    );

    test(
      "shares its source with other bridges",
      staged(async (stage, source) => {
        const [one, two] = await Promise.all([
          stage.startBridge(name, source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "10" }),
          stage.startBridge(name, source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "10" }),
        ]);
        await source.publish(messagesFrom(0, 200));
        await stage.untilEvents(200);
        await allAcknowledged(source);
        assertEvents(stage, range(0, 200));
        const shares = await Promise.all([one, two].map((each) => each.metric("bellwire_bridge_records_total")));
        assertPosted((shares[0] ?? 0) + (shares[1] ?? 0), 200);
        assert.ok(Math.min(...shares.map(Number)) > 0, `one had nothing to do: ${shares.join(" and ")}`);
        assert.deepEqual(await Promise.all([one.stop(), two.stop()]), [0, 0]);
      }),
    );
  });
}
