import assert from "node:assert/strict";
import { test } from "node:test";
import { START_MS } from "../../../test/kit/world/virtual-clock.ts";
import type { BodyKind } from "../../domain/body.ts";
import { explainOutcome } from "./outcome.ts";

const SLACK = "https://hooks.slack.com/services/T0/B0/x";
const DISCORD = "https://discord.com/api/webhooks/1/x";
const TIMINGS = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 5 };

interface Answered {
  readonly url: string;
  readonly sends: BodyKind;
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function explain({ url, sends, status, body = "", headers = {} }: Answered) {
  const response = { status, headers, body: new TextEncoder().encode(body), bodyCut: false };
  const result = { outcome: { kind: "response", response }, timings: TIMINGS, address: null } as const;
  return explainOutcome({ result, startedAtMs: START_MS, url, sends, bodyBytes: 10, isTest: true, isFresh: true });
}

test("an event that Slack cannot read is told so, with the body as the remedy", () => {
  const { sentence, advice, remedy } = explain({ url: SLACK, sends: "event", status: 400, body: "no_text" });
  assert.equal(sentence, "This is a Slack address, and Slack takes messages of its own form.");
  assert.equal(advice, "Change the body to Slack.");
  assert.deepEqual(remedy, { kind: "use_body", body: "slack" });
});

test("a message of another tool has the same remedy, a template has none", () => {
  const other = explain({ url: DISCORD, sends: "slack", status: 400, body: '{"code":50006}' });
  assert.deepEqual(other.remedy, { kind: "use_body", body: "discord" });
  const own = explain({ url: SLACK, sends: "template", status: 400, body: "invalid_blocks" });
  assert.deepEqual([own.remedy, own.advice], [null, "Compare the template with what Slack takes."]);
});

test("a tool's own words say what became of the channel, and a status without words is told as ever", () => {
  const archived = explain({ url: SLACK, sends: "slack", status: 410, body: "channel_is_archived" });
  assert.deepEqual([archived.class, archived.remedy], ["gone", null]);
  assert.equal(archived.sentence, "Slack says that the channel is archived.");
  const fault = explain({ url: SLACK, sends: "slack", status: 500 });
  assert.equal(fault.sentence, "Your endpoint had an error.");
  const elsewhere = explain({ url: "https://crm.example/in", sends: "event", status: 400, body: "no_text" });
  assert.equal(elsewhere.sentence, "Your endpoint didn't accept the body.");
});

test("a wait that is asked for in the answer's body is told, beside what keeps below it", () => {
  const body = '{"message":"You are being rate limited.","retry_after":64.57,"global":false}';
  const { class: kind, advice } = explain({ url: DISCORD, sends: "discord", status: 429, body });
  assert.equal(kind, "rate_limited");
  assert.match(
    advice,
    /^It asked for 65 s of silence\. Real deliveries wait as asked.*Set a rate limit of 2 a second\.$/,
  );
});
