/** Receivers whose TLS is built to be expensive, through the sender: what each may cost, and who pays. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type CostlyChain,
  type CostlyReceiver,
  makeCostlyChain,
  startAlternating,
  startAnswering,
  startDhe,
  startFlood,
  startLongChain,
} from "../../test/kit/servers/costly-tls.ts";
import { startProxy } from "../../test/kit/servers/proxy.ts";
import { readCertificate, readKey } from "../../test/kit/servers/receiver.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { type SenderSetup, makeSender, requestTo } from "../../test/kit/world/sender.ts";
import type { Sender } from "../delivery/send/send.ts";
import { minutesMs } from "../lib/duration.ts";
import { createTlsCosts } from "./tls-costs.ts";

let chain: CostlyChain;
before(() => {
  chain = makeCostlyChain();
});

/** No limit can end an attempt: twenty costly handshakes at once took 6 s of one thread on a busy machine. */
const patient = (own: SenderSetup = {}): Sender =>
  makeSender({
    tls: { ca: readCertificate("hook.test") },
    deadlineMs: minutesMs(10),
    connectDeadlineMs: minutesMs(10),
    ...own,
  });

async function post(sender: Sender, { url }: CostlyReceiver, own: { owner?: string; lane?: string } = {}) {
  const { owner = "acct-1", lane = `${owner} ${url}` } = own;
  const { outcome } = await sender.send(requestTo(url, { lane, owner }));
  return "code" in outcome ? outcome.code : outcome.kind;
}

test("a receiver that wants DHE gets no handshake, whatever group it would choose", async () => {
  await using receiver = await startDhe();
  await using sender = patient({ tls: { ca: receiver.certificate } });
  assert.match(await post(sender, receiver), /ALERT_HANDSHAKE_FAILURE$/);
});

test("a chain that takes long to verify ends as an outcome of its own", async () => {
  await using receiver = await startLongChain(chain);
  await using sender = patient();
  assert.equal(await post(sender, receiver), "ERR_TLS_COSTLY");
});

test("a chain that takes long to verify is seen through a proxy too", async () => {
  await using receiver = await startLongChain(chain);
  await using proxy = await startProxy();
  await using sender = patient({ proxy: proxy.url });
  assert.equal(await post(sender, receiver), "ERR_TLS_COSTLY");
});

test("what one receiver costs keeps the account's other handshakes waiting, and no other account's", async () => {
  await using costly = await startLongChain(chain);
  await using honest = await startAnswering({ key: readKey("hook.test"), cert: readCertificate("hook.test") });
  await using sender = patient();
  assert.equal(await post(sender, costly), "ERR_TLS_COSTLY");
  assert.equal(await post(sender, costly), "internal_error");
  assert.equal(await post(sender, honest), "internal_error");
  assert.equal(await post(sender, honest, { owner: "acct-2" }), "response");
});

test("a hundred webhooks of one account to such receivers cost what one of them costs", async () => {
  await using receiver = await startLongChain(chain);
  await using sender = patient();
  const sent = Array.from({ length: 100 }, async (_, nth) => {
    const { outcome } = await sender.send(requestTo(receiver.url, { lane: `dst_${nth}`, owner: "acct-1" }));
    return outcome.kind;
  });
  const kinds = Map.groupBy(await Promise.all(sent), (kind) => kind);
  assert.deepEqual([kinds.get("tls_error")?.length, kinds.get("internal_error")?.length], [1, 99]);
});

for (const flood of ["key updates", "tickets"] as const) {
  test(`a connection that waits for its next request is closed when ${flood} come without end`, async () => {
    await using receiver = await startFlood(flood);
    await using sender = patient();
    assert.equal(await post(sender, receiver), "response");
    await receiver.closed;
    assert.equal(await post(sender, receiver), "internal_error");
  });
}

for (const flood of ["key updates", "tickets"] as const) {
  test(`a connection that is not timed is closed when ${flood} come without end`, async () => {
    await using receiver = await startFlood(flood, 2);
    await using sender = patient();
    assert.equal(await post(sender, receiver), "response");
    assert.equal(await post(sender, receiver, { lane: "another lane" }), "response");
    await receiver.closed;
    assert.equal(await post(sender, receiver, { lane: "a third lane" }), "response");
  });
}

test("a receiver that alternates gets one costly handshake that is not timed, and then none", async () => {
  await using receiver = await startAlternating(chain, (nth) => nth % 2 === 0);
  await using sender = patient();
  const codes: string[] = [];
  for (let count = 0; count < 5; count += 1) codes.push(await post(sender, receiver));
  const untimed = "UNABLE_TO_GET_ISSUER_CERT_LOCALLY";
  assert.deepEqual(codes, ["response", untimed, "response", "ERR_TLS_COSTLY", "internal_error"]);
});

test("it is the same for one that never ends its costly handshakes", async () => {
  await using receiver = await startAlternating(chain, (nth) => nth % 2 === 0, false);
  await using sender = makeSender({ tls: { ca: readCertificate("hook.test") }, deadlineMs: 2_000 });
  const codes: string[] = [];
  for (let count = 0; count < 5; count += 1) codes.push(await post(sender, receiver));
  assert.deepEqual(codes, ["response", "timeout", "response", "ERR_TLS_COSTLY", "internal_error"]);
});

test("twenty at once get eight costly handshakes that are not timed", async () => {
  await using receiver = await startAlternating(makeCostlyChain(40), (nth) => nth > 1);
  await using sender = patient();
  assert.equal(await post(sender, receiver), "response");
  const lanes = Array.from({ length: 20 }, (_, nth) => `dst_${nth}`);
  const codes = await Promise.all(lanes.map((lane) => post(sender, receiver, { lane })));
  const counts = Object.entries(Object.groupBy(codes, (code) => code)).map(([code, all]) => [code, all?.length]);
  assert.deepEqual(Object.fromEntries(counts), {
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 8,
    ERR_TLS_COSTLY: 1,
    internal_error: 11,
  });
});

test("honest handshakes are free, with 300 at a time", async () => {
  await using receiver = await startAnswering({ key: readKey("hook.test"), cert: readCertificate("hook.test") });
  await using sender = patient();
  const sent = Array.from({ length: 300 }, async (_, nth) => {
    const { outcome } = await sender.send(requestTo(receiver.url, { lane: `dst_${nth}`, owner: "acct-1" }));
    return outcome.kind;
  });
  assert.deepEqual(new Set(await Promise.all(sent)), new Set(["response"]));
});

test("an account rests a hundred times as long as its receivers took", async () => {
  const clock = createVirtualClock();
  const costs = createTlsCosts(clock);
  costs.charge("acct-1", 40);
  costs.charge("acct-1", 10);
  assert.deepEqual([costs.isResting("acct-1"), costs.isResting("acct-2")], [true, false]);
  await clock.advance(4_999);
  assert.ok(costs.isResting("acct-1"));
  await clock.advance(1);
  assert.ok(!costs.isResting("acct-1"));
});
