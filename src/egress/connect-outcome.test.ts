import assert from "node:assert/strict";
import { test } from "node:test";
import { isChargeable } from "../domain/destination-health.ts";
import { tcpOutcome } from "./connect-outcome.ts";

for (const code of ["EMFILE", "ENFILE", "EADDRNOTAVAIL", "ENOBUFS", "ENOMEM"]) {
  test(`${code} is a shortage of this machine, which is not charged to the destination`, () => {
    const outcome = tcpOutcome(code, "connect failed");
    assert.equal(outcome.kind, "internal_error");
    assert.equal(isChargeable(outcome.kind), false);
    assert.match("message" in outcome ? outcome.message : "", new RegExp(`^This .*${code}`));
  });
}

for (const code of ["ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH"]) {
  test(`${code} is the receiver's or the network's`, () => {
    assert.deepEqual(tcpOutcome(code, "words"), { kind: "network_error", code, message: "words" });
  });
}
