/** The bridge from RabbitMQ, with a real server where Debian's package is: what every bridge promises, over TLS. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RABBIT_CERTIFICATE_USER } from "../../test/kit/brokers/rabbitmq-config.ts";
import { type RabbitBroker, openRabbitBroker } from "../../test/kit/brokers/rabbitmq.ts";
import { makeAuthority } from "../../test/kit/servers/certificates.ts";
import { CANARY, testRefusals } from "../conformance/refusals.ts";
import { assertEvents, messagesFrom, openStage } from "../conformance/stage.ts";
import { describeBridge } from "../conformance/suite.ts";

describeBridge("rabbitmq", openRabbitBroker({ isSecured: true }));

const found = openRabbitBroker();
describe("a bridge signs in to RabbitMQ", { skip: "missing" in found && found.missing }, () => {
  let broker: RabbitBroker;
  before(async () => {
    assert.ok("start" in found);
    broker = await found.start();
  });
  after(() => broker[Symbol.asyncDispose]());

  const brings = async (env: Readonly<Record<string, string>>): Promise<void> => {
    await using stage = await openStage();
    const source = await broker.createSource();
    await source.publish(messagesFrom(0, 5));
    const bridge = await stage.startBridge("rabbitmq", source, env);
    await stage.untilEvents(5);
    assertEvents(stage, [0, 1, 2, 3, 4]);
    assert.equal(await bridge.stop(), 0);
  };

  const secured = () => ({
    BELLWIRE_BRIDGE_BROKER: `amqps://localhost:${broker.securedPort}`,
    BELLWIRE_BRIDGE_TLS_CA: broker.authority.certificate,
  });
  const signing = (name: string, authority = broker.authority) => {
    const { certificate, key } = authority.issue(name);
    return { BELLWIRE_BRIDGE_TLS_CERTIFICATE: `${certificate}\n${key}` };
  };

  test("without TLS and a name, on its own machine", () => brings({}));

  test("by its certificate alone", () => brings({ ...secured(), ...signing(RABBIT_CERTIFICATE_USER) }));

  testRefusals(
    "rabbitmq",
    async () => ({ ...(await broker.createSource()).env, ...secured() }),
    () => [
      {
        what: "a wrong password",
        changed: { BELLWIRE_BRIDGE_USER: "bridge", BELLWIRE_BRIDGE_PASSWORD: CANARY },
        says: /^RabbitMQ refused name and password: check BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD/,
      },
      {
        what: "a wrong password in the address",
        changed: { BELLWIRE_BRIDGE_BROKER: `amqps://bridge:${CANARY}@localhost:${broker.securedPort}` },
        says: /^RabbitMQ refused name and password/,
      },
      {
        what: "a certificate without a user",
        changed: signing("canary"),
        says: /^RabbitMQ has no user for the certificate in BELLWIRE_BRIDGE_TLS_CERTIFICATE/,
      },
      {
        what: "a certificate that RabbitMQ does not trust",
        changed: signing(RABBIT_CERTIFICATE_USER, makeAuthority("other")),
        says: /does not take the bridge's certificate: check BELLWIRE_BRIDGE_TLS_CERTIFICATE/,
      },
      {
        what: "an authority that is not known",
        changed: { BELLWIRE_BRIDGE_TLS_CA: "" },
        says: /certificate is not trusted: set BELLWIRE_BRIDGE_TLS_CA/,
      },
      {
        what: "a virtual host that is not there",
        changed: { BELLWIRE_BRIDGE_BROKER: `amqps://localhost:${broker.securedPort}/nowhere` },
        says: /^RabbitMQ has no such virtual host .* BELLWIRE_BRIDGE_BROKER/,
      },
      {
        what: "a virtual host without rights",
        changed: { BELLWIRE_BRIDGE_BROKER: `amqps://localhost:${broker.securedPort}/closed` },
        says: /^RabbitMQ has no such virtual host for this user/,
      },
      {
        what: "a queue that is not there",
        changed: { BELLWIRE_BRIDGE_SOURCE: "nowhere" },
        says: /^RabbitMQ has no queue nowhere \(BELLWIRE_BRIDGE_SOURCE\)/,
      },
    ],
  );
});
