import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toValue } from "../../../test/kit/world/world.ts";
import { readDeliveryCursor, readSeqCursor, writeDeliveryCursor, writeSeqCursor } from "../call/cursor.ts";
import { createQueryReader } from "../call/operation.ts";
import { deliveryQuery } from "../forms/queries.ts";
import { type DeliveryFilter, readDeliveryQuery } from "./query.ts";

type QueryText = Readonly<Record<string, string>>;

const readQuery = createQueryReader(deliveryQuery);
function readFilter(query: QueryText) {
  const checked = readQuery({ query });
  return checked.ok ? readDeliveryQuery(checked.value) : checked;
}

const CURSOR = { createdAtMs: 1_763_640_000_000, id: "dlv_06f1x9s3k0" };
const EVERYTHING: DeliveryFilter = { withTests: false, before: null };

const GOOD: readonly (readonly [query: QueryText, filter: Partial<DeliveryFilter>])[] = [
  [{}, {}],
  [{ status: "failed" }, { statuses: ["failed"] }],
  [{ status: "waiting,retrying,waiting" }, { statuses: ["waiting", "retrying"] }],
  [{ event: "demo_viewed" }, { type: "demo_viewed" }],
  [{ destination: "dst_1" }, { destinationId: "dst_1" }],
  [{ response: "5xx" }, { response: { hundreds: 5 } }],
  [{ response: "503" }, { response: { status: 503 } }],
  [{ response: "none" }, { response: "none" }],
  [
    { from: "1000", to: "2000" },
    { createdFromMs: 1_000, createdToMs: 2_000 },
  ],
  [{ q: "  5B0F6C1E-4d0a-4000-8000-00000000000A " }, { idText: "5B0F6C1E-4d0a-4000-8000-00000000000A" }],
  [{ q: "dlv_06f1x9s3k0" }, { idText: "dlv_06f1x9s3k0" }],
  [{ q: " Jane@acme.example  pricing" }, { phrases: [["jane", "acme", "example"], ["pricing"]] }],
  [{ tests: "1" }, { withTests: true }],
  [{ q: " TEST_dlv_1" }, { idText: "dlv_1", withTests: true }],
  [{ status: "", event: "", response: "", from: "", to: "", q: " ", tests: "", destination: "" }, {}],
  [{ cursor: writeDeliveryCursor(CURSOR) }, { before: CURSOR }],
];
for (const [query, filter] of GOOD) {
  test(`${JSON.stringify(query)} is read`, () => {
    assert.deepEqual(toValue(readFilter(query)), { ...EVERYTHING, ...filter });
  });
}

const BAD: readonly (readonly [query: QueryText, path: string, words: RegExp])[] = [
  [{ status: "lost" }, "status", /waiting, retrying, delivered, failed, cancelled/],
  [{ status: "failed,lost" }, "status", /commas/],
  [{ status: "pending" }, "status", /waiting/],
  [{ event: "Demo viewed" }, "event", /name of an event type/],
  [{ response: "6xx" }, "response", /2xx/],
  [{ response: "5XX " }, "response", /2xx/],
  [{ response: "099" }, "response", /code such as 503/],
  [{ from: "yesterday" }, "from", /milliseconds/],
  [{ to: "-1" }, "to", /milliseconds/],
  [{ to: "1e3" }, "to", /milliseconds/],
  [{ tests: "yes" }, "tests", /1, or left out/],
  [{ q: "x".repeat(201) }, "q", /200 characters/],
  [{ q: "ab ".repeat(17) }, "q", /16 words/],
  [{ q: "?!" }, "q", /a letter or a digit/],
  [{ q: "j 7" }, "q", /two letters or more/],
  [{ destination: "x".repeat(201) }, "destination", /at most 200 characters/],
  [{ cursor: "abc" }, "cursor", /from its start/],
  [{ stauts: "failed" }, "stauts", /not a known field; did you mean status/],
];
for (const [query, path, words] of BAD) {
  test(`${JSON.stringify(query).slice(0, 60)} is refused by its name`, () => {
    const read = readFilter(query);
    assert.ok(!read.ok);
    assert.equal(read.error.code, "invalid_parameter");
    assert.deepEqual(
      read.error.errors?.map((error) => error.path),
      [path],
    );
    assert.match(read.error.errors?.[0]?.message ?? "", words);
    assert.ok(read.error.detail.startsWith(path === "q" ? "The search " : `"${path}" in the address `));
  });
}

test("every part that cannot be read is named at once", () => {
  const read = readFilter({ status: "lost", from: "x", tests: "2" });
  assert.deepEqual(read.ok ? [] : read.error.errors?.map(({ path }) => path), ["status", "from", "tests"]);
});

describe("a cursor", () => {
  test("comes back as the place that it was made from, safe in an address", () => {
    const text = writeDeliveryCursor(CURSOR);
    assert.match(text, /^[\w-]+$/);
    assert.deepEqual(toValue(readDeliveryCursor(text)), CURSOR);
    assert.deepEqual(toValue(readSeqCursor(writeSeqCursor(42))), { seq: 42 });
    assert.equal(toValue(readDeliveryCursor(undefined)), null);
  });

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const FOREIGN = [
    "",
    "!",
    "e30",
    encoded({}),
    encoded([1]),
    encoded(["1", "a"]),
    encoded([1.5, "a"]),
    encoded([1, 2]),
  ];
  for (const text of [...FOREIGN, encoded([1, "a", 3]), encoded([null, "a"]), encoded([1, "x".repeat(300)])]) {
    test(`that is ${JSON.stringify(text.slice(0, 30))} is none of a log's`, () =>
      assert.ok(!readDeliveryCursor(text).ok));
  }

  test("of one kind of list is none of another's", () => {
    assert.ok(!readSeqCursor(writeDeliveryCursor(CURSOR)).ok);
    assert.ok(!readDeliveryCursor(writeSeqCursor(1)).ok);
  });
});
