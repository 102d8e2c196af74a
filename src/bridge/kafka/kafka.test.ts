/** The bridge from Kafka, with a real one: what every bridge promises, and what partitions and a group are for. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { findKafka } from "../../../test/kit/brokers/kafka-program.ts";
import { KAFKA_USER } from "../../../test/kit/brokers/kafka-server.ts";
import { type KafkaBroker, openKafkaBroker, startKafka } from "../../../test/kit/brokers/kafka.ts";
import { eventually } from "../../../test/kit/wait.ts";
import { createFakeIo } from "../../../test/kit/world/fake-io.ts";
import { bridge as command } from "../../commands/bridge.ts";
import { uuid } from "../conformance/ids.ts";
import { assertEvents, messagesFrom, openStage, toMessage } from "../conformance/stage.ts";
import { describeBridge } from "../conformance/suite.ts";

describeBridge("kafka", openKafkaBroker());

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

  for (const [what, changed, says] of [
    ["a wrong password", { BELLWIRE_BRIDGE_PASSWORD: "canary" }, /Kafka refused name and password/],
    ["a certificate that is not trusted", { BELLWIRE_BRIDGE_TLS_CA: "" }, /certificate is not trusted/],
    ["a topic that is not there", { BELLWIRE_BRIDGE_SOURCE: "nowhere" }, /Kafka has no topic nowhere/],
    [
      "dead letters in its own topic",
      { BELLWIRE_BRIDGE_SOURCE: "a, b", BELLWIRE_BRIDGE_DEAD_LETTERS: "b" },
      /name another/,
    ],
    ["dead letters without a topic", { BELLWIRE_BRIDGE_DEAD_LETTERS: "nowhere" }, /Kafka has no topic nowhere/],
  ] as const) {
    test(`ends with a sentence for ${what}`, async () => {
      const source = await broker.createSource();
      const keys = { BELLWIRE_API_KEY: "k".repeat(32), BELLWIRE_BRIDGE_PORT: "0" };
      const fake = createFakeIo(["kafka"], { ...keys, ...source.env, ...secured(), ...changed });
      assert.equal(await command(fake.io), 1);
      assert.match(fake.err.join("\n"), says);
      assert.ok(!fake.err.join("\n").includes("canary"));
    });
  }
});
