/**
 * Spans of the event's path, which runs as in production except for the network: their content, and what they must not
 * contain.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { createWorld, answer, session, toValue, ACCOUNT } from "../../test/kit/world/world.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { accept } from "../delivery/accept.ts";
import type { DeliveryReport } from "../delivery/report.ts";
import type { Outcome } from "../domain/attempt.ts";
import { createSampler, type Span } from "./otlp/span.ts";
import { type Traces, createTraces } from "./traces.ts";

const CALLER = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const SAMPLED = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` };
const UNSAMPLED = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-00` };

async function stage(receiver: () => Outcome = () => answer(200), sampler = "parentbased_always_on") {
  const clock = createVirtualClock();
  const spans: Span[] = [];
  const traces = createTraces({
    clock,
    random: createSeededRandom(3),
    sampler: createSampler({ sampler, ratio: 1 }),
    record: (span) => void spans.push(span),
  });
  const world = await createWorld({ clock, receiver, report: reportAttempts(traces) });
  await world.setUpAccount();
  await world.setUpAlert({ webhook: makeWebhookForm({ url: "https://hook.example.com:8443/secret-path?key=secret" }) });
  /** A call as intake makes it. */
  async function call(headers: Record<string, string>, ...records: ReturnType<typeof session>[]) {
    const trace = traces.begin(headers);
    toValue(await accept({ ctx: world.ctx, engine: world.engine, trace }, ACCOUNT, records));
    trace?.answered({ method: "POST", route: "/v1/accounts/:account_id/demo-sessions", status: 202, durationMs: 1 });
    await world.run();
  }
  return { world, spans, call, named: (name: string) => spans.filter((span) => span.name === name) };
}

/** Only those facts of the path that become spans. */
function reportAttempts({ attempted }: Traces): DeliveryReport {
  const nothing = () => {};
  const others = { accepted: nothing, queued: nothing, turnedOff: nothing, tested: nothing, replaysStepped: nothing };
  return {
    ...others,
    assistantsCreated: nothing,
    claimed: nothing,
    pulled: nothing,
    failed: nothing,
    attempted,
    claimLost: attempted,
  };
}

test("one event is one trace, from the caller's span to the settlement", async () => {
  const { spans, call } = await stage();
  await call(SAMPLED, session(1));
  assert.deepEqual(
    spans.map(({ name, kind }) => `${name} ${kind}`),
    [
      "accept demo_viewed producer",
      "POST /v1/accounts/:account_id/demo-sessions server",
      "deliver demo_viewed consumer",
      "POST client",
      "settle demo_viewed client",
    ],
  );
  const [accepted, server, deliver, post, settle] = spans;
  assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)), new Set([CALLER.traceId]));
  assert.deepEqual(server?.parent, { spanId: CALLER.spanId, isRemote: true });
  assert.deepEqual(accepted?.parent, { spanId: server.spanId, isRemote: false });
  assert.deepEqual(deliver?.parent, { spanId: accepted.spanId, isRemote: true });
  assert.equal(deliver.linkTo, accepted.spanId);
  for (const span of [post, settle]) assert.deepEqual(span?.parent, { spanId: deliver.spanId, isRemote: false });
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
});

test("the request's span shows host and port, and the phases of the connection in their order", async () => {
  const { spans, call, named } = await stage();
  await call(SAMPLED, session(1));
  const [post] = named("POST");
  assert.deepEqual(post?.attributes, {
    "http.request.method": "POST",
    "server.address": "hook.example.com",
    "server.port": 8443,
    "url.scheme": "https",
    "network.peer.address": "203.0.113.9",
    "http.response.status_code": 200,
  });
  const phases = post.events?.map(({ name, atMs }) => [name, atMs - post.startMs]);
  assert.deepEqual(phases, [
    ["bellwire.resolved", 1],
    ["bellwire.connected", 3],
    ["bellwire.secured", 6],
    ["bellwire.first_byte", 8],
  ]);
  assert.equal(post.endMs - post.startMs, 9);
  assert.ok(!JSON.stringify(spans).includes("secret"));
});

test("a failure is an error with its kind, and a retry says that it is one", async () => {
  const outcomes: Outcome[] = [
    { kind: "network_error", code: "ECONNRESET", message: "secret" },
    answer(503),
    { kind: "timeout", phase: "headers" },
  ];
  const { world, spans, call, named } = await stage(() => outcomes.shift() ?? answer(200));
  await call(SAMPLED, session(1));
  for (let hours = 0; hours < 4; hours += 1) {
    await world.clock.advance(3_600_000);
    await world.run();
  }
  const posts = named("POST").map(({ attributes, isError }) => [
    attributes["error.type"],
    attributes["http.request.resend_count"],
    isError,
  ]);
  assert.deepEqual(posts, [
    ["network_error", undefined, true],
    ["503", 1, true],
    ["timeout", 2, true],
    [undefined, 3, false],
  ]);
  assert.deepEqual(
    named("deliver demo_viewed").map(({ attributes }) => attributes["bellwire.verdict"]),
    ["retry", "retry", "retry", "delivered"],
  );
  assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)), new Set([CALLER.traceId]));
  assert.ok(!JSON.stringify(spans).includes("secret"));
});

test("each event of a batch has a context of its own; a duplicate has none", async () => {
  const { call, named } = await stage();
  await call(SAMPLED, session(1), session(2), session(1));
  const accepted = named("accept demo_viewed");
  assert.equal(accepted.length, 2);
  const contexts = new Set(accepted.map(({ spanId }) => spanId));
  const parents = named("deliver demo_viewed").map(({ parent }) => parent?.spanId);
  assert.deepEqual([parents.length, new Set(parents)], [2, contexts]);
});

test("a caller without a trace begins one, a caller that is not sampled leaves nothing", async () => {
  const begun = await stage();
  await begun.call({}, session(1));
  assert.equal(begun.named("POST /v1/accounts/:account_id/demo-sessions")[0]?.parent, null);
  assert.match(begun.spans[0]?.traceId ?? "", /^[0-9a-f]{32}$/);
  const unsampled = await stage();
  await unsampled.call(UNSAMPLED, session(1));
  await unsampled.call({ traceparent: "nonsense" }, session(2));
  assert.deepEqual(new Set(unsampled.spans.map(({ traceId }) => traceId === CALLER.traceId)), new Set([false]));
  assert.equal(unsampled.named("deliver demo_viewed").length, 1);
});

test("an attempt of an event that was accepted untraced begins no trace", async () => {
  const { world, spans } = await stage();
  await world.acceptOne(session(1));
  await world.run();
  assert.equal(world.sent.length, 1);
  assert.deepEqual(spans, []);
});
