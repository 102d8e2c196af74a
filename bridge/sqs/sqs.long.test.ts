/** The bridge from SQS, with a server that speaks its protocol. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestBroker } from "../../test/kit/brokers/broker.ts";
import { IAM_CALLS, createIamKey, startMoto } from "../../test/kit/brokers/moto.ts";
import { findMoto } from "../../test/kit/brokers/moto-program.ts";
import { openSqsBroker, startSqs } from "../../test/kit/brokers/sqs.ts";
import { eventually } from "../../test/kit/wait.ts";
import { uuid } from "../conformance/ids.ts";
import { CANARY, testRefusals } from "../conformance/refusals.ts";
import { messagesFrom, openStage, runBridge, toMessage } from "../conformance/stage.ts";
import { describeBridge } from "../conformance/suite.ts";

/** A source has two: for its messages, and for dead letters. */
const QUEUES = 2;

describeBridge("sqs", await openSqsBroker({ isSecured: true }));

const secured = await openSqsBroker({ isSecured: true });
describe("a bridge that SQS does not let in", { skip: "missing" in secured && secured.missing }, () => {
  let broker: TestBroker;
  before(async () => {
    assert.ok("start" in secured);
    broker = await secured.start();
  });
  after(() => broker[Symbol.asyncDispose]());

  testRefusals(
    "sqs",
    async () => (await broker.createSource()).env,
    () => [
      {
        what: "an authority that is not known",
        changed: { BELLWIRE_BRIDGE_TLS_CA_FILE: "" },
        says: /certificate is not trusted: set BELLWIRE_BRIDGE_TLS_CA/,
      },
      {
        what: "an id without a secret",
        changed: { BELLWIRE_BRIDGE_PASSWORD_FILE: "" },
        says: /BELLWIRE_BRIDGE_PASSWORD \(the secret access key\) are set together/,
      },
      {
        what: "a queue that is not there",
        changed: { BELLWIRE_BRIDGE_SOURCE: "nowhere" },
        says: /^SQS has no such queue: make those of BELLWIRE_BRIDGE_SOURCE/,
      },
    ],
  );
});

const moto = await findMoto();
describe("a bridge whose keys are checked", { skip: "missing" in moto && moto.missing }, () => {
  test("comes in with the right ones, and says which setting is wrong otherwise", async () => {
    if ("missing" in moto) return;
    const server = await startMoto(moto.command, { INITIAL_NO_AUTH_ACTION_COUNT: String(IAM_CALLS + QUEUES) });
    await using broker = await startSqs(server, { isSecured: true });
    const key = await createIamKey(server.url);
    const { env } = await broker.createSource();
    const right = { ...env, BELLWIRE_BRIDGE_USER: key.id, BELLWIRE_BRIDGE_PASSWORD_FILE: "" };
    const { secret } = key;
    const run = (changed: Readonly<Record<string, string>>) =>
      runBridge("sqs", { ...right, BELLWIRE_BRIDGE_PASSWORD: secret, ...changed });
    // moto answers these in a form of its own, so the words are those for any server.
    const refused = /^the server does not let .* check BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD$/;
    const stranger = await run({ BELLWIRE_BRIDGE_USER: "AKIANOBODY0000000000" });
    assert.match(stranger.said, refused);
    const wrong = await run({ BELLWIRE_BRIDGE_PASSWORD: CANARY });
    assert.match(wrong.said, refused);
    assert.ok(!wrong.said.includes("canary"));
    // The right ones come further: to a queue that is not there.
    const lost = await run({ BELLWIRE_BRIDGE_SOURCE: "nowhere" });
    assert.match(lost.said, /^SQS has no such queue/);
  });
});

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
