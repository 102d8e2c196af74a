/** Settings for Kafka's client: addresses, TLS, names; and what of its refusals a person must mend. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAuthority } from "../../test/kit/servers/certificates.ts";
import { BrokerUnusable } from "../port.ts";
import { type KafkaSettings, toClientOptions } from "./client-options.ts";
import { toUnusable } from "./failures.ts";

const SETTINGS: KafkaSettings = {
  bridgeBroker: ["kafka:9092"],
  bridgeUser: "",
  bridgePassword: "",
  bridgeSasl: "SCRAM-SHA-512",
  bridgeTlsCa: "",
  bridgeTlsCertificate: "",
};

const optionsOf = (changed: Partial<KafkaSettings>) => toClientOptions({ ...SETTINGS, ...changed });

describe("the client's options", () => {
  test("name each broker, with Kafka's port where none is given", () => {
    const { bootstrapBrokers, tls, sasl } = optionsOf({ bridgeBroker: ["a:9093", "kafka://b", "[::1]:1"] });
    assert.deepEqual(bootstrapBrokers, [
      { host: "a", port: 9093 },
      { host: "b", port: 9092 },
      { host: "::1", port: 1 },
    ]);
    assert.equal(tls, undefined);
    assert.equal(sasl, undefined);
  });

  test("demand TLS for kafkas:// and for an authority of one's own", () => {
    assert.deepEqual(optionsOf({ bridgeBroker: ["kafkas://a"] }).tls, {});
    const { certificate: ca, issue } = makeAuthority("Kafka's CA");
    assert.deepEqual(optionsOf({ bridgeTlsCa: ca }).tls, { ca });
    const { certificate: cert, key } = issue("bridge");
    for (const pair of [cert + key, key + cert]) {
      assert.deepEqual(optionsOf({ bridgeTlsCertificate: pair }).tls, { cert: pair, key: pair });
    }
  });

  test("sign in by the mechanism that is set", () => {
    assert.deepEqual(optionsOf({ bridgeUser: "u", bridgePassword: "p", bridgeSasl: "PLAIN" }).sasl, {
      mechanism: "PLAIN",
      username: "u",
      password: "p",
    });
  });

  for (const [what, changed, says] of [
    ["no broker", { bridgeBroker: [] }, /names no broker/],
    ["an address of another kind", { bridgeBroker: ["http://a"] }, /host:port/],
    ["a port that there is not", { bridgeBroker: ["a:70000"] }, /host:port/],
    ["a name without a password", { bridgeUser: "canary" }, /set together/],
    ["a certificate without its key", { bridgeTlsCertificate: "canary" }, /cannot be read/],
  ] as const) {
    test(`are refused with a sentence for ${what}`, () => {
      assert.throws(
        () => optionsOf(changed),
        (error: Error) => error instanceof BrokerUnusable && says.test(error.message) && !/canary/.test(error.message),
      );
    });
  }
});

describe("a refusal of Kafka", () => {
  const failure = (properties: object) => Object.assign(new Error("broker secret"), properties);

  test("is a sentence for the operator where waiting does not help, also deep inside other errors", () => {
    const deep = new AggregateError([failure({ apiId: "TOPIC_AUTHORIZATION_FAILED" })], "joinGroup failed");
    assert.match(
      toUnusable(new Error("outer", { cause: deep }))?.message ?? "",
      /does not let this user read the topic/,
    );
    assert.match(toUnusable(failure({ code: "PLT_KFK_AUTHENTICATION" }))?.message ?? "", /BELLWIRE_BRIDGE_PASSWORD/);
    assert.match(toUnusable(failure({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" }))?.message ?? "", /BELLWIRE_BRIDGE_TLS_CA/);
    assert.match(toUnusable(new Error("Unknown topic nope."))?.message ?? "", /no topic nope/);
  });

  test("is tried again where waiting may help", () => {
    assert.equal(toUnusable(failure({ apiId: "COORDINATOR_NOT_AVAILABLE" })), null);
    assert.equal(toUnusable(failure({ code: "ECONNREFUSED" })), null);
    assert.equal(toUnusable("no error at all"), null);
  });
});
