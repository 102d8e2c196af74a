import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import type { CustomHeader } from "../../domain/destination.ts";
import { MASK, buildRequest } from "./request.ts";
import { makeTarget } from "../../../test/kit/make.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NAMES = { signatureHeader: "x-service-signature", userAgent: "Bellwire/test" };

function build(headers: readonly CustomHeader[], body = "{}", webhookId = "dlv_1") {
  const target = makeTarget({ url: new URL("https://receiver.example/in"), headers, secrets: [SECRET] });
  return buildRequest({ webhookId, body, target, nowMs: 1_800_000_000_500, names: NAMES, owner: "acct-1" });
}

test("length, signatures and socket have the same bytes, whatever the text", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("\ud800", "\udc00", "é", "a") }),
  );
  fc.assert(
    fc.property(text, (body) => {
      const { headers, bytes } = build([], body);
      assert.deepEqual(new Uint8Array(bytes), new TextEncoder().encode(body));
      assert.equal(headers["content-length"], String(bytes.length));
      assert.equal(headers["x-service-signature"], createHmac("sha256", SECRET).update(bytes).digest("base64"));
      const signed = Buffer.concat([Buffer.from("dlv_1.1800000000."), bytes]);
      const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
      assert.equal(headers["webhook-signature"], `v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    }),
  );
});

test("a destination's requests have its headers again, with secret values masked for the log", () => {
  const list = [
    { name: "X-Token", value: "s3cret", secret: true },
    { name: "X-Team", value: "sales", secret: false },
  ];
  for (const id of ["dlv_1", "dlv_2", "test_dlv_3"]) {
    const { headers, maskedHeaders } = build(list, "{}", id);
    assert.deepEqual([headers["x-token"], headers["x-team"], headers["webhook-id"]], ["s3cret", "sales", id]);
    assert.deepEqual({ ...headers, "x-token": MASK }, maskedHeaders);
    assert.equal(headers["bellwire-test"], id.startsWith("test_") ? "1" : undefined);
  }
  assert.equal(build([{ name: "X-Token", value: "new", secret: false }]).headers["x-token"], "new");
  assert.equal(build([]).headers["x-token"], undefined);
});

test("a custom header cannot replace one of ours", () => {
  const list = [{ name: "Webhook-Id", value: "forged", secret: false }];
  for (let round = 0; round < 2; round += 1) assert.equal(build(list).headers["webhook-id"], "dlv_1");
});
