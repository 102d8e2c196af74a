/** The settings of the operator's webhook: texts that are accepted, and that a refused one is never repeated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOperatorSecret, parseOperatorUrl } from "./option-text.ts";

const makeSecret = (byteCount: number): string => `whsec_${Buffer.alloc(byteCount, "k3y").toString("base64")}`;

for (const url of ["https://alerts.example.com/in?key=1", "http://10.0.0.5:9000/bellwire", "http://localhost:9000/"]) {
  test(`${url} is taken: it is the operator's own`, () => {
    assert.deepEqual(parseOperatorUrl(url), { ok: true, value: url });
  });
}

const LONG = `https://alerts.example.com/${"hunter2/".repeat(300)}`;
for (const url of [
  "alerts/hunter2",
  "ftp://a.example/hunter2",
  "https://a:hunter2@b.example/",
  "https://a/#hunter2",
  LONG,
]) {
  test(`${url.slice(0, 40)} is refused without being repeated`, () => {
    const parsed = parseOperatorUrl(url);
    assert.equal(parsed.ok, false);
    assert.doesNotMatch(JSON.stringify(parsed), /hunter2/);
  });
}

for (const count of [24, 32, 64]) {
  test(`a secret of ${count} bytes is taken`, () => assert.equal(parseOperatorSecret(makeSecret(count)).ok, true));
}

for (const secret of [
  makeSecret(23),
  makeSecret(65),
  makeSecret(32).slice(6),
  "whsec_",
  "whsec_k3yk3y",
  `${makeSecret(32)}!`,
]) {
  test(`${secret.slice(0, 20)}… (${secret.length}) is refused without being repeated`, () => {
    const parsed = parseOperatorSecret(secret);
    assert.equal(parsed.ok, false);
    assert.doesNotMatch(JSON.stringify(parsed), /k3y|azN5/);
  });
}
