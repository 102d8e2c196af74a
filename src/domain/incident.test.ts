import assert from "node:assert/strict";
import { test } from "node:test";
import { addResponses, incidentId, incidentPath } from "./incident.ts";
import { readInstant } from "./id.ts";

test("an incident's address is that of its alert, of the assistant's webhook, or of its webhook", () => {
  assert.equal(incidentPath({ kind: "alert", id: "alr_1" }, "inc_2"), "/settings/alerts/alr_1?incident=inc_2");
  assert.equal(incidentPath({ kind: "assistant", id: "a/b" }, "inc_2"), "/assistants/a%2Fb/webhook?incident=inc_2");
  assert.equal(incidentPath({ kind: "webhook", id: "whk_1" }, "inc_2"), "/settings/webhooks/whk_1?incident=inc_2");
});

test("an incident's id tells when it was opened, and is its destination's own", () => {
  const one = incidentId("dst_06f1x9s3k0aaaaaaaaaaaaaaab", 1_795_176_000_000);
  assert.equal(readInstant(one), 1_795_176_000_000);
  assert.notEqual(one, incidentId("dst_06f1x9s3k0aaaaaaaaaaaaaaac", 1_795_176_000_000));
  assert.ok(one < incidentId("dst_06f1x9s3k0aaaaaaaaaaaaaaaa", 1_795_176_000_001));
});

test("responses are added up by their code, most frequent first", () => {
  const one = [
    { code: "503", count: 2 },
    { code: "timeout", count: 2 },
  ];
  assert.deepEqual(addResponses(one, [{ code: "timeout", count: 1 }]), [
    { code: "timeout", count: 3 },
    { code: "503", count: 2 },
  ]);
});
