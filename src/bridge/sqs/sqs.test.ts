/** The bridge from SQS, with a server that speaks its protocol. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openSqsBroker } from "../../../test/kit/brokers/sqs.ts";
import { eventually } from "../../../test/kit/wait.ts";
import { uuid } from "../conformance/ids.ts";
import { messagesFrom, openStage, toMessage } from "../conformance/stage.ts";
import { describeBridge } from "../conformance/suite.ts";

describeBridge("sqs", await openSqsBroker());

const fifo = await openSqsBroker({ isFifo: true });
describe("a bridge from a FIFO queue", { skip: "missing" in fifo && fifo.missing }, () => {
  test("keeps the order of a group, also when Bellwire is away meanwhile and the bridge is killed", async () => {
    if ("missing" in fifo) return;
    await using stage = await openStage();
    await using broker = await fifo.start();
    const source = await broker.createSource();
    await source.publish(messagesFrom(0, 40));
    {
      await using killed = stage.spawnBridge("sqs", source);
      await stage.untilEvents(10);
      killed.kill("SIGKILL");
      await killed.exited;
    }
    stage.network.weather = { kind: "reset" };
    const bridge = await stage.startBridge("sqs", source);
    await eventually(
      "messages in hand",
      async () => ((await bridge.metric("bellwire_bridge_in_hand_messages")) ?? 0) > 0,
    );
    stage.network.weather = { kind: "clear" };
    await stage.untilEvents(40);
    await eventually("that all are acknowledged", async () => (await source.unacknowledged()) === 0);
    for (const account of ["acme", "globex"]) {
      for (const type of ["demo_viewed", "chat_conversation_completed"]) {
        const expected = [...Array(40).keys()].filter((number) => {
          const message = toMessage(number);
          return message.account === account && message.event === type;
        });
        const found = stage.events().filter((event) => event.account === account && event.type === type);
        assert.deepEqual(
          found.map(({ id }) => id),
          expected.map((number) => uuid(number).replaceAll("-", "")),
        );
      }
    }
    assert.equal(await bridge.stop(), 0);
  });
});
