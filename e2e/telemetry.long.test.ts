/**
 * The real service and a collector over HTTP: one trace from the caller to the last attempt, and figures that are true.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from "../test/kit/servers/otlp-collector.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { uuid } from "../test/kit/world/world.ts";
import { setUpAccount } from "../test/kit/process/account.ts";
import { databaseIn } from "../test/kit/process/database-file.ts";
import { newFolder } from "../test/kit/folder.ts";
import { conversationRecord, sessionRecord } from "../test/kit/process/records.ts";
import { SHORT_RETRIES, drained, startService } from "../test/kit/process/running.ts";
import { soon } from "../test/kit/wait.ts";

const ASSISTANT = "bot-1";
const CALLER = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;

const toCollector = ({ url }: OtlpCollector) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url });

const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

test("a conversation is one trace: the call, its event, a failed attempt, and the retry after a crash", async () => {
  using folder = newFolder();
  await using collector = await startOtlpCollector();
  await using receiver = await startReceiver({ status: 503 });
  const dataDir = folder.path;
  await setUpAccount({ dataDir, assistants: { [ASSISTANT]: `${receiver.url}/hook?key=canary-query` } });
  // Spans go out after five seconds at most; the second attempt is the next process's.
  const env = { ...toCollector(collector), E2E_RETRY_MS: "12000" };
  const first = await startService({ dataDir, env, program: [SHORT_RETRIES] });
  const headers = { traceparent: TRACEPARENT, tracestate: "vendor=opaque" };
  const answer = await first.post("chat-conversations", conversationRecord(uuid(1), ASSISTANT), { headers });
  assert.equal(answer.status, 202);
  await soon(
    collector.when(() => named(collector.spans, "settle chat_conversation_completed").length === 1),
    "the spans of the first attempt",
  );
  await first.crash();
  receiver.script = () => ({});
  await using second = await startService({ dataDir, env, program: [SHORT_RETRIES] });
  await drained(second);
  await second.stop();

  assert.deepEqual(collector.faults, []);
  const { spans } = collector;
  for (const { traceId, traceState } of spans) {
    assert.deepEqual({ traceId, traceState }, { traceId: CALLER.traceId, traceState: "vendor=opaque" });
  }
  const [server] = named(spans, "POST /v1/accounts/:account_id/chat-conversations");
  assert.equal(server?.parentSpanId, CALLER.spanId);
  assert.equal(server.attributes["http.response.status_code"], 202);
  const [accepted] = named(spans, "accept chat_conversation_completed");
  assert.equal(accepted?.parentSpanId, server.spanId);
  assert.equal(accepted.attributes["messaging.message.id"], answer.json["event_id"]);
  const attempts = named(spans, "deliver chat_conversation_completed");
  assert.deepEqual(
    attempts.map(({ parentSpanId, links, attributes, isError }) => ({
      parentSpanId,
      links: links.map(({ spanId }) => spanId),
      attempt: attributes["bellwire.attempt"],
      verdict: attributes["bellwire.verdict"],
      isError,
    })),
    [
      { attempt: 1, verdict: "retry", isError: true },
      { attempt: 2, verdict: "delivered", isError: false },
    ].map((each) => ({ parentSpanId: accepted.spanId, links: [accepted.spanId], ...each })),
  );
  const processes = attempts.map(({ resource }) => resource["service.instance.id"]);
  assert.notEqual(processes[0], processes[1], "two processes made them");
  for (const [place, attempt] of attempts.entries()) {
    const below = spans.filter(({ parentSpanId }) => parentSpanId === attempt.spanId);
    assert.deepEqual(below.map(({ name }) => name).toSorted(), ["POST", "settle chat_conversation_completed"]);
    const sent = below.find(({ name }) => name === "POST");
    assert.equal(sent?.attributes["http.response.status_code"], place === 0 ? 503 : 200);
    assert.equal(sent.attributes["server.port"], receiver.port);
    assert.deepEqual(
      sent.events.map(({ name }) => name),
      ["bellwire.connected", "bellwire.first_byte"],
    );
    for (const { startNano, endNano } of below) {
      assert.ok(startNano >= attempt.startNano && endNano <= attempt.endNano, "inside the attempt");
    }
  }
  assert.ok(!JSON.stringify(collector.requests).includes("canary-query"));
  for (const { headers: sent } of receiver.requests) {
    assert.deepEqual([sent["traceparent"], sent["tracestate"]], [undefined, undefined], "the receiver learns nothing");
  }
});

test("what the collector is told equals a recount of the rows", async () => {
  using folder = newFolder();
  await using collector = await startOtlpCollector();
  await using receiver = await startReceiver(({ number }) => ({ status: number % 5 === 0 ? 500 : 200 }));
  const dataDir = folder.path;
  await setUpAccount({
    dataDir,
    alerts: [{ url: `${receiver.url}/a` }, { url: `${receiver.url}/b` }],
    assistants: { [ASSISTANT]: `${receiver.url}/c` },
  });
  const service = await startService({ dataDir, env: toCollector(collector), program: [SHORT_RETRIES] });
  const numbers = Array.from({ length: 300 }, (_, place) => place + 1);
  const sessions = numbers.map((number) => `${sessionRecord(uuid(number))}\n`).join("");
  assert.equal((await service.post("demo-sessions", sessions, { type: "application/x-ndjson" })).status, 200);
  await Promise.all(
    numbers.map((number) => service.post("chat-conversations", conversationRecord(uuid(number), ASSISTANT))),
  );
  assert.equal((await service.post("chat-conversations", conversationRecord(uuid(1), ASSISTANT))).status, 200);
  await drained(service);
  await service.stop();
  assert.deepEqual(collector.faults, []);

  const total = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    collector
      .points()
      .filter((point) => point.name === name)
      .filter(({ attributes }) => Object.entries(labels).every(([key, value]) => attributes[key] === value))
      .reduce((sum, { value, count }) => sum + (count ?? value), 0);
  const rows = (sql: string) => recount(dataDir, sql);
  const demo = { event: "demo_viewed" };
  assert.equal(
    total("bellwire_events_accepted_total", demo),
    rows("select count(*) as n from events where type = 'demo_viewed'"),
  );
  assert.equal(total("bellwire_events_accepted_total"), rows("select count(*) as n from events"));
  assert.equal(total("bellwire_events_duplicate_total"), 1);
  assert.equal(total("bellwire_attempts_total"), rows("select count(*) as n from every_attempt"));
  assert.equal(total("bellwire_attempt_seconds"), rows("select count(*) as n from every_attempt"));
  const delivered = rows("select count(*) as n from deliveries where state = 'delivered'");
  assert.equal(total("bellwire_attempts_total", { verdict: "delivered" }), delivered);
  assert.equal(total("bellwire_delivery_seconds"), delivered);
  assert.equal(
    total("bellwire_attempts_total", { outcome: "status_5xx" }),
    rows("select count(*) as n from every_attempt where response_status = 500"),
  );
  assert.equal(total("bellwire_deliveries_waiting"), 0);
  assert.equal(total("bellwire_destinations"), 3);
  assert.equal(total("bellwire_intake_request_seconds", { status: "202" }), 300);
  assert.equal(total("bellwire_intake_request_seconds"), 302);
  assert.ok(rows("select count(*) as n from every_attempt where response_status = 500") > 0, "some failed");
});

test("a collector that is away stops nothing, and is told of once", async () => {
  using folder = newFolder();
  await using receiver = await startReceiver();
  const dataDir = folder.path;
  await setUpAccount({ dataDir, alerts: [{ url: receiver.url }] });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
  await using service = await startService({ dataDir, env });
  for (let number = 1; number <= 20; number += 1) {
    assert.equal((await service.post("demo-sessions", sessionRecord(uuid(number)))).status, 202);
  }
  await receiver.received(20);
  await drained(service);
  const { code, tookMs } = await service.stop();
  assert.equal(code, 0);
  assert.ok(tookMs < 10_000, `the stop took ${tookMs} ms`);
  const told = service.child.out.all.filter((line) => line.includes("telemetry.failed") && line.includes("traces"));
  assert.equal(told.length, 1, told.join("\n"));
});

test("without OTEL_ variables nothing of a caller's trace is stored", async () => {
  using folder = newFolder();
  await using receiver = await startReceiver();
  const dataDir = folder.path;
  await setUpAccount({ dataDir, alerts: [{ url: receiver.url }] });
  const service = await startService({ dataDir });
  const headers = { traceparent: TRACEPARENT };
  assert.equal((await service.post("demo-sessions", sessionRecord(uuid(1)), { headers })).status, 202);
  await drained(service);
  await service.stop();
  assert.equal(recount(dataDir, "select count(*) as n from events where trace_context is not null"), 0);
});

function recount(dataDir: string, sql: string): number {
  using database = new DatabaseSync(databaseIn(dataDir), { readOnly: true });
  return (database.prepare(sql).get() as { n: number }).n;
}
