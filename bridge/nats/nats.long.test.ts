/** The bridge from NATS JetStream, with a real server: what every bridge promises, over TLS; and ways to sign in. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type NatsBroker, openNatsBroker, startNats } from "../../test/kit/brokers/nats.ts";
import { findNats } from "../../test/kit/brokers/nats-program.ts";
import { makeAuthority } from "../../test/kit/servers/certificates.ts";
import { eventually } from "../../test/kit/wait.ts";
import { CANARY, testRefusals } from "../conformance/refusals.ts";
import { assertEvents, messagesFrom, openStage, runBridge } from "../conformance/stage.ts";
import { describeBridge } from "../conformance/suite.ts";

describeBridge("nats", openNatsBroker({ signsBy: "password" }));

const found = findNats();
const program = "path" in found ? found.path : "";

describe("a bridge signs in to NATS", { skip: "missing" in found && found.missing }, () => {
  for (const signsBy of ["nothing", "password", "token", "creds"] as const) {
    test(`by ${signsBy}`, () => brings(signsBy));
  }

  test("by the seed of an nkey", () =>
    brings("password", ({ seed }) => ({
      BELLWIRE_BRIDGE_USER: "",
      BELLWIRE_BRIDGE_PASSWORD_FILE: "",
      BELLWIRE_BRIDGE_CREDENTIALS: seed,
    })));

  test("again when its password was changed and changed back", async () => {
    await using stage = await openStage();
    await using broker = await startNats(program, { signsBy: "password" });
    const source = await broker.createSource();
    const bridge = await stage.startBridge("nats", source);
    await broker.changePassword("another one");
    await eventually("the sentence", () => bridge.lines.some((line) => /NATS refused the bridge's creden/.test(line)));
    assert.equal((await bridge.get("/readyz")).status, 503);
    await broker.changePassword(null);
    await source.publish(messagesFrom(0, 5));
    await stage.untilEvents(5);
    assert.equal((await bridge.get("/readyz")).status, 200);
    assert.equal(await bridge.stop(), 0);
  });

  async function brings(
    signsBy: "nothing" | "password" | "token" | "creds",
    change: (broker: NatsBroker) => Readonly<Record<string, string>> = () => ({}),
  ): Promise<void> {
    await using stage = await openStage();
    await using broker = await startNats(program, { signsBy });
    const source = await broker.createSource();
    await source.publish(messagesFrom(0, 5));
    const bridge = await stage.startBridge("nats", source, change(broker));
    await stage.untilEvents(5);
    assertEvents(stage, [0, 1, 2, 3, 4]);
    assert.equal(await bridge.stop(), 0);
  }
});

describe("a bridge that NATS does not let in", { skip: "missing" in found && found.missing }, () => {
  let broker: NatsBroker;
  let open: NatsBroker;
  before(async () => {
    broker = await startNats(program, { signsBy: "password" });
    open = await startNats(program);
  });
  after(async () => {
    await broker[Symbol.asyncDispose]();
    await open[Symbol.asyncDispose]();
  });

  const noPassword = { BELLWIRE_BRIDGE_PASSWORD_FILE: "" };
  testRefusals(
    "nats",
    async () => (await broker.createSource()).env,
    () => [
      {
        what: "a wrong password",
        changed: { ...noPassword, BELLWIRE_BRIDGE_PASSWORD: CANARY },
        says: /^NATS refused .* BELLWIRE_BRIDGE_USER and BELLWIRE_BRIDGE_PASSWORD/,
      },
      {
        what: "a token where names are wanted",
        changed: { ...noPassword, BELLWIRE_BRIDGE_USER: CANARY },
        says: /^NATS refused .* BELLWIRE_BRIDGE_USER/,
      },
      {
        what: "credentials that are none",
        changed: { BELLWIRE_BRIDGE_CREDENTIALS: CANARY },
        says: /^BELLWIRE_BRIDGE_CREDENTIALS must be/,
      },
      {
        what: "an authority that is not known",
        changed: { BELLWIRE_BRIDGE_TLS_CA_FILE: "" },
        says: /certificate is not trusted: set BELLWIRE_BRIDGE_TLS_CA/,
      },
      {
        what: "another authority",
        changed: { BELLWIRE_BRIDGE_TLS_CA_FILE: "", BELLWIRE_BRIDGE_TLS_CA: makeAuthority("other").certificate },
        says: /certificate is not trusted: set BELLWIRE_BRIDGE_TLS_CA/,
      },
      {
        what: "a key of another certificate",
        changed: {
          BELLWIRE_BRIDGE_TLS_CERTIFICATE: makeAuthority("one").certificate + makeAuthority("two").key,
        },
        says: /BELLWIRE_BRIDGE_TLS_CERTIFICATE: the key is another certificate's/,
      },
      {
        what: "a stream that is not there",
        changed: { BELLWIRE_BRIDGE_SOURCE: "nowhere" },
        says: /^NATS has no stream nowhere \(BELLWIRE_BRIDGE_SOURCE\)/,
      },
      {
        what: "a stream's name that NATS cannot have",
        changed: { BELLWIRE_BRIDGE_SOURCE: "bellwire.>" },
        says: /^BELLWIRE_BRIDGE_SOURCE or BELLWIRE_BRIDGE_GROUP is no name for NATS: stream name/,
      },
    ],
  );

  test("says that the server has no TLS", async () => {
    const { env } = await open.createSource();
    const plain = env["BELLWIRE_BRIDGE_BROKER"] ?? "";
    const { code, said } = await runBridge("nats", { ...env, BELLWIRE_BRIDGE_BROKER: plain.replace("nats:", "tls:") });
    assert.equal(code, 1);
    assert.match(said, /^NATS does not speak TLS at the address in BELLWIRE_BRIDGE_BROKER/);
  });
});
