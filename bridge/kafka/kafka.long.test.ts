/** The bridge from Kafka, with a real one: what every bridge promises, and what partitions and a group are for. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findKafka } from "../../test/kit/brokers/kafka-program.ts";
import { KAFKA_USER } from "../../test/kit/brokers/kafka-server.ts";
import { type KafkaBroker, openKafkaBroker, startKafka } from "../../test/kit/brokers/kafka.ts";
import { eventually } from "../../test/kit/wait.ts";
import { uuid } from "../conformance/ids.ts";
import { CANARY, testRefusals } from "../conformance/refusals.ts";
import { assertEvents, messagesFrom, openStage, recordText, toMessage } from "../conformance/stage.ts";
import { describeBridge } from "../conformance/suite.ts";

describeBridge("kafka", openKafkaBroker({ isSecured: true }));

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, place) => first + place);

const found = findKafka();
describe("a bridge in a consumer group of Kafka", { skip: "missing" in found && found.missing }, () => {
  let broker: KafkaBroker;
  before(async () => {
    assert.ok("jars" in found);
    broker = await startKafka(found.jars);
  });
  after(() => broker[Symbol.asyncDispose]());

  test("keeps the order of a partition while bridges come and go, and loses and doubles nothing", async () => {
    await using stage = await openStage();
    const source = await broker.createSource();
    // One account and event: Bellwire's order of events is then the bridge's order of posts.
    const messages = range(0, 300).map((place) => toMessage(place * 2 + 1, { account: "acme" }));
    const first = await stage.startBridge("kafka", source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "20" });
    for (const partition of [0, 1, 2]) {
      await source.publishTo(partition, messages.slice(partition * 100, partition * 100 + 50));
    }
    const second = await stage.startBridge("kafka", source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "20" });
    for (const partition of [0, 1, 2]) {
      await source.publishTo(partition, messages.slice(partition * 100 + 50, partition * 100 + 100));
    }
    await stage.untilEvents(150);
    assert.equal(await first.stop(), 0);
    await stage.untilEvents(300);
    await eventually("that all are acknowledged", async () => (await source.unacknowledged()) === 0);
    const order = stage.events().map(({ id }) => id);
    assert.equal(order.length, 300);
    for (const partition of [0, 1, 2]) {
      const expected = range(partition * 100, 100).map((place) => uuid(place * 2 + 1).replaceAll("-", ""));
      assert.deepEqual(
        order.filter((id) => expected.includes(id)),
        expected,
      );
    }
    assert.equal(await second.stop(), 0);
  });

  test("loses and doubles nothing when the group hands partitions out while batches are in hand", async () => {
    await using stage = await openStage();
    const source = await broker.createSource();
    const messages = range(0, 200).map((place) => toMessage(place * 2 + 1, { account: "acme" }));
    for (const partition of [0, 1, 2, 3]) {
      await source.publishTo(partition, messages.slice(partition * 50, partition * 50 + 50));
    }
    // The first bridge has batches in hand whose answers are lost, and the second one takes some of its partitions.
    stage.network.weather = { kind: "lost_answer" };
    const first = await stage.startBridge("kafka", source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "40" });
    await eventually("40 in hand", async () => (await first.metric("bellwire_bridge_in_hand_messages")) === 40);
    const second = await stage.startBridge("kafka", source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "40" });
    await eventually("40 in both", async () => (await second.metric("bellwire_bridge_in_hand_messages")) === 40);
    stage.network.weather = { kind: "clear" };
    await stage.untilEvents(200);
    await eventually("that all are acknowledged", async () => (await source.unacknowledged()) === 0);
    const order = stage.events().map(({ id }) => id);
    assert.equal(order.length, 200);
    for (const partition of [0, 1, 2, 3]) {
      const expected = range(partition * 50, 50).map((place) => uuid(place * 2 + 1).replaceAll("-", ""));
      assert.deepEqual(
        order.filter((id) => expected.includes(id)),
        expected,
      );
    }
    assert.deepEqual(await Promise.all([first.stop(), second.stop()]), [0, 0]);
  });

  test("makes no event of a message whose transaction was aborted", async () => {
    await using stage = await openStage();
    const source = await broker.createSource();
    const bodies = (first: number, count: number) =>
      range(first, count).map((place) => toMessage(place * 2, { account: "acme" }));
    // One that one answer holds, another one of the same producer in the same answer, and one that fills several.
    await source.publishInTransactions(0, [
      { messages: bodies(0, 3), isAborted: true },
      { messages: bodies(10, 3), isAborted: false },
      { messages: bodies(20, 3), isAborted: true },
      {
        messages: range(0, 4).map((place) =>
          toMessage(60 + place * 2, { account: "acme", body: padded(60 + place * 2) }),
        ),
        isAborted: true,
      },
      { messages: bodies(40, 3), isAborted: false },
    ]);
    const bridge = await stage.startBridge("kafka", source);
    await stage.untilEvents(6);
    await eventually("that all are acknowledged", async () => (await source.unacknowledged()) === 0);
    const ids = stage.events().map(({ id }) => id);
    assert.deepEqual(
      ids,
      [...range(10, 3), ...range(40, 3)].map((place) => uuid(place * 2).replaceAll("-", "")),
    );
    assert.equal((await source.deadLetters()).length, 0);
    assert.equal(await bridge.stop(), 0);
  });

  /** A record that fills most of an answer; what it has too much is white space. */
  const padded = (number: number): string => recordText("demo_viewed", number) + " ".repeat(700_000);

  test("stays in the group while Bellwire is away for longer than a member may be silent", async () => {
    await using stage = await openStage();
    stage.network.weather = { kind: "reset" };
    const source = await broker.createSource();
    await source.publish(messagesFrom(0, 50));
    const bridge = await stage.startBridge("kafka", source, { BELLWIRE_BRIDGE_IN_HAND_MAX: "10" });
    await eventually("10 in hand", async () => (await bridge.metric("bellwire_bridge_in_hand_messages")) === 10);
    const sinceMs = performance.now();
    await eventually("12 s to pass", () => performance.now() - sinceMs > 12_000);
    assert.equal(await bridge.metric("bellwire_bridge_waiting_messages"), 40);
    stage.network.weather = { kind: "clear" };
    await stage.untilEvents(50);
    await eventually("that all are acknowledged", async () => (await source.unacknowledged()) === 0);
    // It was never out of the group: Bellwire saw no record twice.
    assert.equal(await bridge.metric("bellwire_bridge_records_total"), 50);
    assert.equal(await bridge.stop(), 0);
  });

  for (const mechanism of ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]) {
    test(`signs in over TLS by ${mechanism}`, async () => {
      await using stage = await openStage();
      const source = await broker.createSource();
      await source.publish(messagesFrom(0, 5));
      const bridge = await stage.startBridge("kafka", source, { ...secured(), BELLWIRE_BRIDGE_SASL: mechanism });
      await stage.untilEvents(5);
      assertEvents(stage, range(0, 5));
      assert.equal(await bridge.stop(), 0);
    });
  }

  const secured = () => ({
    BELLWIRE_BRIDGE_BROKER: `kafkas://${broker.server.protectedAddress}`,
    BELLWIRE_BRIDGE_USER: KAFKA_USER.name,
    BELLWIRE_BRIDGE_PASSWORD: KAFKA_USER.password,
    BELLWIRE_BRIDGE_TLS_CA: broker.server.authority,
  });

  testRefusals(
    "kafka",
    async () => ({ ...(await broker.createSource()).env, ...secured() }),
    () => [
      {
        what: "a wrong password by SCRAM",
        changed: { BELLWIRE_BRIDGE_PASSWORD: CANARY },
        says: /^Kafka refused name and password: check BELLWIRE_BRIDGE_USER, BELLWIRE_BRIDGE_PASSWORD/,
      },
      {
        what: "a wrong password by PLAIN",
        changed: { BELLWIRE_BRIDGE_PASSWORD: CANARY, BELLWIRE_BRIDGE_SASL: "PLAIN" },
        says: /^Kafka refused name and password: check BELLWIRE_BRIDGE_USER, BELLWIRE_BRIDGE_PASSWORD/,
      },
      {
        what: "an authority that is not known",
        changed: { BELLWIRE_BRIDGE_TLS_CA: "" },
        says: /certificate is not trusted: set BELLWIRE_BRIDGE_TLS_CA/,
      },
      {
        what: "an IP address in a name's place",
        changed: {
          BELLWIRE_BRIDGE_BROKER: `kafkas://${broker.server.protectedAddress.replace("localhost", "127.0.0.1")}`,
        },
        says: /^TLS needs a broker's name, .* BELLWIRE_BRIDGE_BROKER, .* has an IP address/,
      },
      {
        what: "a topic that is not there",
        changed: { BELLWIRE_BRIDGE_SOURCE: "nowhere" },
        says: /^Kafka has no topic nowhere/,
      },
      {
        what: "dead letters in its own topic",
        changed: { BELLWIRE_BRIDGE_SOURCE: "a, b", BELLWIRE_BRIDGE_DEAD_LETTERS: "b" },
        says: /BELLWIRE_BRIDGE_DEAD_LETTERS .* name another/,
      },
      {
        what: "dead letters without a topic",
        changed: { BELLWIRE_BRIDGE_DEAD_LETTERS: "nowhere" },
        says: /^Kafka has no topic nowhere/,
      },
    ],
  );
});
