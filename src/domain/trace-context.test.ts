/** The table is W3C Trace Context's own rules, level 1, sections 3.2 and 3.3. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatTraceContext, parseTraceContext, readTraceContext } from "./trace-context.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";
const GOOD = `00-${TRACE_ID}-${SPAN_ID}-01`;

test("reads a caller's context", () => {
  const context = { traceId: TRACE_ID, spanId: SPAN_ID, isSampled: true, traceState: "" };
  assert.deepEqual(readTraceContext({ traceparent: GOOD }), context);
  assert.deepEqual(readTraceContext({ traceparent: GOOD.replace(/01$/, "00") }), { ...context, isSampled: false });
  // Other flags do not concern sampling.
  assert.deepEqual(readTraceContext({ traceparent: GOOD.replace(/01$/, "02") }), { ...context, isSampled: false });
  assert.deepEqual(readTraceContext({ traceparent: GOOD.replace(/^00/, "cc").concat("-more") }), context);
});

const REFUSED: Readonly<Record<string, unknown>> = {
  "no header": undefined,
  "an empty one": "",
  "several, which Node joins": `${GOOD}, ${GOOD}`,
  "capital letters": GOOD.toUpperCase(),
  "a trace id of zeros": `00-${"0".repeat(32)}-${SPAN_ID}-01`,
  "a span id of zeros": `00-${TRACE_ID}-${"0".repeat(16)}-01`,
  "a short trace id": `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`,
  "a version that cannot be": GOOD.replace(/^00/, "ff"),
  "more than version 00 has": `${GOOD}-more`,
  "a later version that runs on": `${GOOD.replace(/^00/, "cc")}more`,
  "no flags": GOOD.slice(0, -3),
};
for (const [what, traceparent] of Object.entries(REFUSED)) {
  test(`takes ${what} for no context`, () => assert.equal(readTraceContext({ traceparent }), null));
}

const STATES: readonly [given: string, kept: string][] = [
  ["vendor=opaque", "vendor=opaque"],
  ["one=1, two=2 ,,three=3", "one=1,two=2,three=3"],
  ["tenant@vendor=a b", "tenant@vendor=a b"],
  ["Vendor=1", ""],
  ["vendor", ""],
  ["vendor=a=b", ""],
  ["vendor=line\nend", ""],
  [`vendor=${"x".repeat(250)}`, `vendor=${"x".repeat(250)}`],
  [`a=${"x".repeat(250)},b=${"x".repeat(250)},c=${"x".repeat(250)}`, ""],
  [Array.from({ length: 33 }, (_, place) => `k${place}=1`).join(","), ""],
];
for (const [given, kept] of STATES) {
  test(`of tracestate "${given.slice(0, 40)}" keeps "${kept.slice(0, 40)}"`, () => {
    assert.equal(readTraceContext({ traceparent: GOOD, tracestate: given })?.traceState, kept);
  });
}

test("what is stored reads the same again", () => {
  const hex = (length: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => /[^0]/.test(text));
  const shape = {
    traceId: hex(32),
    spanId: hex(16),
    isSampled: fc.boolean(),
    traceState: fc.constantFrom("", "vendor=a b c", "one=1,two=2"),
  };
  const context = fc.record(shape, { noNullPrototype: true });
  fc.assert(fc.property(context, (each) => assert.deepEqual(parseTraceContext(formatTraceContext(each)), each)));
});
