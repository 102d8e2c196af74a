/** The bridge's settings as text: rules that find account and event in a subject, addresses, PEM. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAccountRule, parseBrokerAddresses, parsePem, parseSubjectRule, readSubject } from "./option-text.ts";

describe("a subject's rule", () => {
  for (const [rule, subject, account, event] of [
    ["bellwire.{account}.{event}", "bellwire.acme.demo_viewed", "acme", "demo_viewed"],
    ["bellwire.{account}.{event}", "bellwire.acme.demo_viewed.more", null, null],
    ["bellwire.{account}.{event}", "bellwire.acme.order_paid", "acme", "order_paid"],
    ["bellwire.{account}.{event}", "bellwire.acme.Unknown", null, null],
    ["*.{event}.{account}.>", "eu.chat_conversation_completed.a-1:2_x.b.c", "a-1:2_x", "chat_conversation_completed"],
    ["webhooks-{event}", "webhooks-demo_viewed", null, "demo_viewed"],
    ["{account}", "two.words", null, null],
    ["{account}", "acme", "acme", null],
    ["a+b.{account}", "aab.acme", null, null],
    [">", `x.${"y".repeat(600)}`, null, null],
  ] as const) {
    test(`"${rule}" reads ${subject.slice(0, 60)} as ${account} and ${event}`, () => {
      const parsed = parseSubjectRule(rule);
      assert.ok(parsed.ok);
      assert.deepEqual(readSubject(parsed.value, subject), { account, event });
    });
  }

  for (const [rule, fault] of [
    ["{acount}.{event}", /has "\{acount\}"; only \{account\} and \{event\}/],
    ["{account}.{account}", /twice/],
    [">.{account}", /> at its end only/],
    ["a b", /visible ASCII/],
  ] as const) {
    test(`"${rule}" is refused`, () => {
      const parsed = parseSubjectRule(rule);
      assert.ok(!parsed.ok);
      assert.match(parsed.error.join(), fault);
    });
  }
});

test("broker addresses are a list without empty places", () => {
  assert.deepEqual(parseBrokerAddresses("a:1, b:2"), { ok: true, value: ["a:1", "b:2"] });
  assert.ok(!parseBrokerAddresses("a:1,,b:2").ok);
});

test("an account's rule is an id or {key}", () => {
  assert.ok(parseAccountRule("{key}").ok && parseAccountRule("acme").ok && parseAccountRule("").ok);
  assert.ok(!parseAccountRule("{subject}").ok && !parseAccountRule("a/b").ok);
});

test("PEM of another kind is refused without its text", () => {
  const key = "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----";
  assert.ok(parsePem("PRIVATE KEY")(key).ok);
  const refused = parsePem("CERTIFICATE")(key);
  assert.ok(!refused.ok && !refused.error.join().includes("canary"));
  const pair = parsePem("CERTIFICATE", "PRIVATE KEY");
  const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
  assert.ok(pair(`${certificate}\n${key}`).ok && pair(`${key}\n${certificate}`).ok);
  for (const half of [certificate, key]) {
    const missing = pair(half);
    assert.ok(!missing.ok && !missing.error.join().includes("canary"));
  }
});
