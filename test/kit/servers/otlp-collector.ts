/**
 * A collector for tests: takes traces and metrics as OTLP over HTTP in JSON, and is as strict as the protocol
 * (opentelemetry-proto 1.x and its JSON mapping): a key that is not in it, an id that is not hex, a 64-bit number that
 * is no text, and the request is answered 400, is kept in `faults`, and the test that looks there fails.
 */
import assert from "node:assert/strict";
import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly startNano: bigint;
  readonly endNano: bigint;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly atNano: bigint }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
  readonly resource: Attributes;
}

export interface CollectedPoint {
  readonly name: string;
  readonly kind: "sum" | "gauge" | "histogram";
  readonly attributes: Attributes;
  /** The value; a histogram's sum. */
  readonly value: number;
  readonly count: number | null;
  readonly resource: Attributes;
}

export interface CollectorRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Unpacked. */
  readonly text: string;
}

export interface OtlpCollector extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; signals go to `/v1/traces` and `/v1/metrics` below it. */
  readonly url: string;
  readonly requests: readonly CollectorRequest[];
  readonly spans: readonly CollectedSpan[];
  /** The points of the newest push of each process. */
  points(): readonly CollectedPoint[];
  /** Breaches of the protocol; a test wants none. */
  readonly faults: readonly string[];
  /** The answer in place of 200. */
  answer: (request: CollectorRequest) => Answer | "hang" | null;
  /** Resolves when `isTrue`, looked at after each request. */
  when(isTrue: () => boolean): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const state = {
    requests: [] as CollectorRequest[],
    spans: [] as CollectedSpan[],
    points: new Map<string, readonly CollectedPoint[]>(),
    faults: [] as string[],
    waiters: [] as { isTrue: () => boolean; wake: () => void }[],
  };
  const server = createServer((message, response) => {
    void readAll(message).then((unpacked) => {
      const request = { path: message.url ?? "", headers: message.headers, text: unpacked };
      state.requests.push(request);
      const told = collector.answer(request);
      if (told === "hang") return;
      const answer = told ?? take(request);
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(answer.body ?? "{}");
      wakeWaiters();
    });
  });

  /** As a collector does: all of a request or, when it is none, nothing. */
  function take(request: CollectorRequest): Answer {
    try {
      assert.equal(request.headers["content-type"], "application/json");
      const json: unknown = JSON.parse(request.text);
      if (request.path.endsWith("/v1/traces")) state.spans.push(...readTraces(json));
      else if (request.path.endsWith("/v1/metrics")) {
        const points = readMetrics(json);
        state.points.set(String(points[0]?.resource["service.instance.id"]), points);
      } else assert.fail(`nothing is served at ${request.path}`);
      return { status: 200 };
    } catch (error) {
      state.faults.push(`${request.path}: ${String(error)}`);
      return { status: 400, body: JSON.stringify({ code: 3, message: String(error) }) };
    }
  }

  function wakeWaiters(): void {
    for (const waiter of state.waiters.filter(({ isTrue }) => isTrue())) {
      state.waiters = state.waiters.filter((other) => other !== waiter);
      waiter.wake();
    }
  }

  const port = await listen(server);
  const collector: OtlpCollector = {
    url: `http://127.0.0.1:${port}`,
    requests: state.requests,
    spans: state.spans,
    points: () => [...state.points.values()].flat(),
    faults: state.faults,
    answer: () => null,
    when: (isTrue) => (isTrue() ? Promise.resolve() : new Promise((wake) => void state.waiters.push({ isTrue, wake }))),
    [Symbol.asyncDispose]: () => stop(server),
  };
  return collector;
}

async function readAll(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  return (message.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

type Json = Readonly<Record<string, unknown>>;

/** An object with these keys and no others; those with a `?` may be missing. */
function shaped(value: unknown, keys: string): Json {
  assert.ok(
    typeof value === "object" && value !== null && !Array.isArray(value),
    `${JSON.stringify(value)} is no object`,
  );
  const known = keys.split(" ");
  const given = Object.keys(value);
  for (const key of given) assert.ok(known.includes(key) || known.includes(`${key}?`), `there is no key ${key}`);
  for (const key of known) assert.ok(key.endsWith("?") || given.includes(key), `the key ${key} is missing`);
  return value as Json;
}

function each<Value>(value: unknown, read: (item: unknown) => Value): Value[] {
  assert.ok(Array.isArray(value), `${JSON.stringify(value)} is no list`);
  return value.map(read);
}

function text(value: unknown): string {
  assert.ok(typeof value === "string", `${JSON.stringify(value)} is no text`);
  return value;
}

function hex(value: unknown, digits: number): string {
  assert.match(text(value), new RegExp(`^[0-9a-f]{${digits}}$`));
  assert.match(text(value), /[^0]/, "an id of zeros is none");
  return text(value);
}

/** 64-bit numbers are text in JSON. */
function int64(value: unknown): bigint {
  assert.match(text(value), /^-?\d+$/);
  return BigInt(text(value));
}

function double(value: unknown): number {
  assert.ok(typeof value === "number" && Number.isFinite(value), `${JSON.stringify(value)} is no number`);
  return value;
}

function enumerated(value: unknown, max: number): number {
  assert.ok(
    Number.isInteger(value) && double(value) >= 1 && double(value) <= max,
    `${JSON.stringify(value)} is no kind`,
  );
  return double(value);
}

function readAttributes(value: unknown): Attributes {
  const entries = each(value, (item): [string, string | number | boolean] => {
    const { key, value: any } = shaped(item, "key value");
    assert.notEqual(text(key), "");
    const given = shaped(any, "stringValue? intValue? doubleValue? boolValue?");
    const [[kind, content] = ["", null], ...more] = Object.entries(given);
    assert.deepEqual(more, [], "a value is of one kind");
    if (kind === "intValue") return [text(key), Number(int64(content))];
    if (kind === "doubleValue") return [text(key), double(content)];
    if (kind === "stringValue") return [text(key), text(content)];
    assert.equal(typeof content, "boolean");
    return [text(key), content === true];
  });
  const attributes = Object.fromEntries(entries);
  assert.equal(Object.keys(attributes).length, entries.length, "a key comes once");
  return attributes;
}

/** The two signals are packed alike: by resource, by scope, then the items. */
function unpack<Item>(
  json: unknown,
  [top, middle, bottom]: readonly [string, string, string],
  read: (item: unknown, resource: Attributes) => Item[],
): Item[] {
  return each(shaped(json, top)[top], (block) => {
    const { resource, [middle]: scopes } = shaped(block, `resource ${middle}`);
    const attributes = readAttributes(shaped(resource, "attributes")["attributes"]);
    assert.notEqual(attributes["service.name"] ?? "", "", "a resource has a service's name");
    return each(scopes, (group) => {
      const { scope, [bottom]: items } = shaped(group, `scope ${bottom}`);
      const { name, version } = shaped(scope, "name version");
      assert.notEqual(text(name) + text(version), "");
      return each(items, (item) => read(item, attributes)).flat();
    }).flat();
  }).flat();
}

const readTraces = (json: unknown): CollectedSpan[] =>
  unpack(json, ["resourceSpans", "scopeSpans", "spans"], (item, resource) => [readSpan(item, resource)]);

const SPAN_KEYS =
  "traceId spanId traceState? parentSpanId? flags name kind startTimeUnixNano endTimeUnixNano attributes events? " +
  "links? status?";

function readSpan(item: unknown, resource: Attributes): CollectedSpan {
  const span = shaped(item, SPAN_KEYS);
  const [startNano, endNano] = [int64(span["startTimeUnixNano"]), int64(span["endTimeUnixNano"])];
  assert.ok(startNano > 0n && endNano >= startNano, "a span ends before it begins");
  const flags = double(span["flags"]);
  assert.equal(flags & ~0x3ff, 0, "flags beyond those that there are");
  assert.ok((flags & 1) === 1, "what is sent is sampled");
  return {
    traceId: hex(span["traceId"], 32),
    spanId: hex(span["spanId"], 16),
    parentSpanId: span["parentSpanId"] === undefined ? "" : hex(span["parentSpanId"], 16),
    traceState: text(span["traceState"] ?? ""),
    name: text(span["name"]),
    kind: enumerated(span["kind"], 5),
    startNano,
    endNano,
    attributes: readAttributes(span["attributes"]),
    events: each(span["events"] ?? [], (event) => {
      const { name, timeUnixNano } = shaped(event, "name timeUnixNano attributes?");
      return { name: text(name), atNano: int64(timeUnixNano) };
    }),
    links: each(span["links"] ?? [], (link) => {
      const { traceId, spanId } = shaped(link, "traceId spanId traceState? attributes?");
      return { traceId: hex(traceId, 32), spanId: hex(spanId, 16) };
    }),
    isError: span["status"] !== undefined && enumerated(shaped(span["status"], "code message?")["code"], 2) === 2,
    resource,
  };
}

const readMetrics = (json: unknown): CollectedPoint[] =>
  unpack(json, ["resourceMetrics", "scopeMetrics", "metrics"], readMetric);

const CUMULATIVE = 2;

function readMetric(item: unknown, resource: Attributes): CollectedPoint[] {
  const metric = shaped(item, "name description unit sum? gauge? histogram?");
  const name = text(metric["name"]);
  assert.match(name, /^[A-Za-z][\w./-]{0,254}$/);
  assert.ok(["", "s", "By"].includes(text(metric["unit"])), "a unit of UCUM");
  if (metric["sum"] !== undefined) {
    const sum = shaped(metric["sum"], "dataPoints aggregationTemporality isMonotonic");
    assert.equal(sum["aggregationTemporality"], CUMULATIVE);
    assert.equal(sum["isMonotonic"], true);
    return each(sum["dataPoints"], (point) => readNumber(point, { name, kind: "sum", resource }));
  }
  if (metric["gauge"] !== undefined) {
    const { dataPoints } = shaped(metric["gauge"], "dataPoints");
    return each(dataPoints, (point) => readNumber(point, { name, kind: "gauge", resource }));
  }
  const histogram = shaped(metric["histogram"], "dataPoints aggregationTemporality");
  assert.equal(histogram["aggregationTemporality"], CUMULATIVE);
  return each(histogram["dataPoints"], (point) => readHistogram(point, { name, kind: "histogram", resource }));
}

type PointOf = Pick<CollectedPoint, "name" | "kind" | "resource">;

function readNumber(item: unknown, of: PointOf): CollectedPoint {
  const since = of.kind === "sum" ? "startTimeUnixNano" : "startTimeUnixNano?";
  const point = shaped(item, `attributes ${since} timeUnixNano asDouble`);
  assertTimes(point);
  return { ...of, attributes: readAttributes(point["attributes"]), value: double(point["asDouble"]), count: null };
}

function readHistogram(item: unknown, of: PointOf): CollectedPoint {
  const keys = "attributes startTimeUnixNano timeUnixNano count sum bucketCounts explicitBounds";
  const point = shaped(item, keys);
  assertTimes(point);
  const bounds = each(point["explicitBounds"], double);
  assert.deepEqual(
    bounds,
    [...new Set(bounds)].toSorted((a, b) => a - b),
    "bounds grow",
  );
  const counts = each(point["bucketCounts"], int64);
  assert.equal(counts.length, bounds.length + 1, "one bin more than bounds");
  assert.ok(counts.every((count) => count >= 0n));
  const count = int64(point["count"]);
  assert.equal(
    counts.reduce((sum, inBin) => sum + inBin, 0n),
    count,
    "the bins make up the count",
  );
  const attributes = readAttributes(point["attributes"]);
  return { ...of, attributes, value: double(point["sum"]), count: Number(count) };
}

function assertTimes({ startTimeUnixNano, timeUnixNano }: Json): void {
  const time = int64(timeUnixNano);
  if (startTimeUnixNano !== undefined) assert.ok(int64(startTimeUnixNano) <= time, "counted from a time to come");
}
