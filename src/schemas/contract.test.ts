/**
 * The published schemas and intake, compared: intake accepts exactly the values that a schema accepts and no rule of
 * `events/beyond-schema.ts` refuses. The rules are written here a second time, by other means than the program's.
 */
import assert from "node:assert/strict";
import { type TestContext, describe, test } from "node:test";
import { type AnySchema, Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { recordsLike, toText } from "../../test/kit/world/records-to-try.ts";
import { RULES_BEYOND_SCHEMA, RULES_OF, type RuleName } from "../events/beyond-schema.ts";
import { CHAT_CONVERSATION_SAMPLES } from "../events/chat-conversation-completed.ts";
import { DEMO_VIEWED_SAMPLES } from "../events/demo-viewed.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";

/** Its package writes for CommonJS. */
const addFormats = formats as unknown as typeof formats.default;

function compile(schema: AnySchema, options: { readonly withFormats: boolean }) {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, validateFormats: options.withFormats });
  ajv.addVocabulary(["x-message"]);
  addFormats(ajv);
  return ajv.compile(schema);
}

async function openApi() {
  await using intake = await createTestApp();
  return (await intake.app.server.inject({ method: "GET", url: "/openapi.json" })).json();
}

const { paths, webhooks } = await openApi();
const findRequestSchema = (path: string, method: string): AnySchema =>
  paths[path][method].requestBody.content["application/json"].schema;

const findBodySchema = (type: string): AnySchema => webhooks[type].post.requestBody.content["application/json"].schema;

const { textChat, voiceChat } = CHAT_CONVERSATION_SAMPLES;
const { mode: _mode, messages: _messages, ...withoutWords } = textChat;
const readyChat = { ...withoutWords, transcript: "[Text mode]\n\nUser: Hi\n\nAssistant: Hello", message_count: 2 };

const RECORDS = {
  demo_session: {
    family: demoViewed,
    path: "/v1/accounts/{account_id}/demo-sessions",
    good: Object.values(DEMO_VIEWED_SAMPLES),
  },
  chat_conversation: {
    family: chatConversationCompleted,
    path: "/v1/accounts/{account_id}/chat-conversations",
    good: [textChat, voiceChat, readyChat],
  },
} as const;

/** Printed, so that a failure can be repeated: `fc.assert(…, { seed })`. */
function seedFor(t: TestContext): number {
  const [seed = 0] = fc.sample(fc.noBias(fc.integer()), 1);
  t.diagnostic(`seed ${seed}`);
  return seed;
}

/** The value as a validator gets it, after every string and name was made well-formed. */
function readable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key.toWellFormed(), readable(part)]));
}

/** Every number of a JSON text, with its name in its object. */
function findNumbers(text: string): (readonly [name: string, digits: string])[] {
  const found: (readonly [string, string])[] = [];
  (JSON.parse as (text: string, reviver: (key: string, value: unknown, at: { source?: string }) => unknown) => unknown)(
    text,
    (key, value, { source }) => {
      if (typeof value === "number") found.push([key, source ?? ""]);
      return value;
    },
  );
  return found;
}

const BOUNDS: ReadonlyMap<string, readonly [minimum: bigint, maximum: bigint | null, isWhole: boolean]> = new Map([
  ["completion", [0n, 100n, false]],
  ["time_spent", [0n, null, false]],
  ["duration", [0n, null, false]],
  ["message_count", [0n, null, true]],
]);

/** As a fraction of whole numbers, which keeps all digits. */
function isWithinBounds([name, digits]: readonly [string, string]): boolean {
  const bounds = BOUNDS.get(name);
  const [mantissa = "", exponent = "0"] = digits.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  if (bounds === undefined) return true;
  const shift = Number(exponent) - fraction.length;
  const top = BigInt(`${whole}${fraction}`) * (shift > 0 ? 10n ** BigInt(shift) : 1n);
  const bottom = shift < 0 ? 10n ** BigInt(-shift) : 1n;
  const [minimum, maximum, isWhole] = bounds;
  if (isWhole && top % bottom !== 0n) return false;
  return top >= minimum * bottom && (maximum === null || top <= maximum * bottom);
}

type Fields = Readonly<Record<string, unknown>>;

const measureDepth = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(measureDepth)) : 0;

/** As in Python's `splitlines`. */
const LINE_BREAK = new RegExp(String.raw`\r\n|[\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029]`);

/** Counts the lines that begin a turn: those behind a blank one. */
function countTurns(transcript: string): number {
  const lines = transcript.split(LINE_BREAK);
  const isBlank = (line: string | undefined): boolean => line?.replaceAll("\x1f", "").trim() === "";
  return lines.filter((line, at) => at > 0 && !isBlank(line) && isBlank(lines[at - 1])).length;
}

/** Whether a record that its schema accepts breaks the rule. */
const BROKEN: Readonly<Record<RuleName, (record: Fields, text: string) => boolean>> = {
  // Not broken but read in another way: `readable` is this rule.
  lone_surrogates: () => false,
  record_bytes: (_, text) => Buffer.byteLength(text) > 1024 * 1024,
  number_length: (_, text) => findNumbers(text).some(([, digits]) => digits.length > 1_000),
  number_digits: (_, text) => !findNumbers(text).every(isWithinBounds),
  times_in_order: ({ started_at: from, completed_at: to }) => Date.parse(String(to)) < Date.parse(String(from)),
  turns_counted: ({ transcript, message_count: count }) =>
    typeof transcript === "string" && count !== countTurns(transcript),
  signal_depth: ({ extracted_variables: signals }) => measureDepth(signals) > 32,
  app_url_host: ({ app_url: url }) => !URL.canParse(String(url)),
};

const brokenRules = (what: keyof typeof RULES_OF, record: unknown, text: string): readonly RuleName[] =>
  RULES_OF[what].filter((name) => BROKEN[name](record as Fields, text));

for (const what of ["demo_session", "chat_conversation"] as const) {
  const { family, path, good } = RECORDS[what];
  for (const withFormats of [false, true]) {
    const how = withFormats ? "checked" : "unchecked";
    test(`intake takes exactly what the schema of a ${what} says, with formats ${how}`, (t) => {
      const takes = compile(findRequestSchema(path, "post"), { withFormats });
      const takesBody = compile(findBodySchema(family.type), { withFormats });
      const tally = { taken: 0, refused: 0, byRule: 0 };
      const property = fc.property(recordsLike(good), (value) => {
        const text = toText(value);
        const record = readable(JSON.parse(text));
        const isOfSchema = takes(record);
        const broken = isOfSchema ? brokenRules(what, record, text) : [];
        const parsed = family.parse(text);
        assert.equal(parsed.ok, isOfSchema && broken.length === 0, `${broken.join()} ${JSON.stringify(takes.errors)}`);
        tally[parsed.ok ? "taken" : broken.length > 0 ? "byRule" : "refused"] += 1;
        if (!parsed.ok) return;
        const body = JSON.parse(parsed.value.buildBody({ appUrl: "https://app.example.com" }));
        assert.ok(takesBody(body), JSON.stringify(takesBody.errors));
      });
      fc.assert(property, { numRuns: 8_000, seed: seedFor(t) });
      t.diagnostic(`${tally.taken} taken, ${tally.refused} refused, ${tally.byRule} by a rule beyond the schema`);
      assert.ok(tally.taken > 400 && tally.refused > 400 && tally.byRule > 10, JSON.stringify(tally));
    });
  }
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.constantFrom(
    "",
    " ",
    "A",
    "x".repeat(200),
    "x".repeat(201),
    "a\0",
    "a\ud800",
    "ana@example.com",
    " a",
    "a\u2028b",
  ),
  fc.constantFrom("x".repeat(320), "x".repeat(321), "owner", "viewer", "starter", "gold"),
  fc.constantFrom("Acme", "Ana", "ü"),
);
const address = fc.oneof(
  fc.constantFrom("https://app.example.com", "HTTP://a.example/b/", "http://localhost:7070", "https://ü.example/ü"),
  fc.constantFrom("https:a.example", "https://@a.example", "", "https://a.example/b@c", "https://a.example/%zz"),
  fc.constantFrom("https://:@a.example", "https://a.example/?x", "https://a.example/#", "https://a b/", "https://[::1"),
  fc.constantFrom("https://a.example/b@c", "https://a.example:99999", "https://1.2.3.4.5", "https://[::1]:80/a", "//a"),
  fc.constantFrom("https://a.example\\b", "https://ü.example/ü", "https://a.example/\0", "ftp://a.example", "https://"),
  fc
    .tuple(fc.constantFrom("https://", "http:/", "https://a"), text, fc.constantFrom("", "/", "/a b", ":80", "?", "@"))
    .map((parts) => parts.join("")),
);
const other = fc.constantFrom<unknown>(null, 1, true, [], {}, undefined);
const object = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.oneof(
    { weight: 15, arbitrary: fc.record(fields) },
    { weight: 4, arbitrary: fc.record({ ...fields, surprise: text }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.oneof(text, other).map((value) => value ?? null) },
  );
const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: other });

const OTHER_CALLS = {
  account: {
    method: "PUT",
    path: "/v1/accounts/{account_id}",
    url: "/v1/accounts/a",
    // Three fields that are each mostly right are seldom all right: of 600 some seeds had 57.
    body: fc.oneof(
      {
        weight: 3,
        arbitrary: object({
          name: mostly(text),
          plan: mostly(fc.constantFrom("free", "starter", "growth", "premium", "gold")),
          app_url: mostly(address),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ name: "A", plan: "free", app_url: "https://app.example.com" }) },
    ),
  },
  chat_assistant: {
    method: "PUT",
    path: "/v1/accounts/{account_id}/chat-assistants/{assistant_id}",
    url: "/v1/accounts/a/chat-assistants/x",
    body: object({ name: mostly(text) }),
  },
  dashboard_link: {
    method: "POST",
    path: "/v1/accounts/{account_id}/dashboard-links",
    url: "/v1/accounts/a/dashboard-links",
    body: object({ person: mostly(text), role: mostly(fc.constantFrom("owner", "viewer", "admin")) }),
  },
} as const;

for (const [what, { method, path, url, body }] of Object.entries(OTHER_CALLS)) {
  test(`intake takes exactly what the schema of a ${what} says`, async (t) => {
    await using intake = await createTestApp();
    await intake.put("/v1/accounts/a", { name: "A", plan: "starter", app_url: "https://app.example.com" });
    const takes = compile(findRequestSchema(path, method.toLowerCase()), { withFormats: true });
    const tally = { taken: 0, refused: 0 };
    const property = fc.asyncProperty(body, async (value) => {
      const sent = JSON.stringify(value);
      const record = readable(JSON.parse(sent));
      const isRight = takes(record) && brokenRules(what as keyof typeof OTHER_CALLS, record, sent).length === 0;
      const { statusCode } = await intake.call({
        method,
        url,
        body: sent,
        headers: { "content-type": "application/json" },
      });
      assert.ok(statusCode < 300 || statusCode === 422, `${statusCode}`);
      assert.equal(statusCode < 300, isRight, JSON.stringify(takes.errors));
      tally[isRight ? "taken" : "refused"] += 1;
    });
    await fc.assert(property, { numRuns: 600, seed: seedFor(t) });
    assert.ok(tally.taken > 60 && tally.refused > 60, JSON.stringify(tally));
  });
}

test("intake takes exactly the parameters that the document describes, written in decimal digits", async (t) => {
  await using intake = await createTestApp();
  await intake.put("/v1/accounts/a", { name: "A", plan: "starter", app_url: "https://app.example.com" });
  const operation = paths["/v1/accounts/{account_id}/refused-records"].get;
  const [takesId, takesBefore] = operation.parameters.map(({ schema }: { schema: AnySchema }) =>
    compile(schema, { withFormats: true }),
  );
  const id = fc.oneof(text, fc.constantFrom("a", "A.b_c:d-1", "x".repeat(128), "x".repeat(129), "a/b", "..", "%"));
  const before = fc.oneof(
    fc.bigInt({ min: -2n, max: 2n ** 54n }).map(String),
    fc.constantFrom("0", "1", "9007199254740991", "9007199254740992", "-1", "99999999999999999999"),
  );
  await fc.assert(
    fc.asyncProperty(id, before, async (account, seq) => {
      // A segment that is only dots is resolved before it is sent.
      fc.pre(!/^\.*$/.test(account) && account.isWellFormed());
      const url = `/v1/accounts/${encodeURIComponent(account)}/refused-records?before=${seq}`;
      const { statusCode } = await intake.call({ method: "GET", url });
      assert.equal(statusCode, takesId(account) && takesBefore(Number(seq)) ? 200 : 400, url);
    }),
    { numRuns: 600, seed: seedFor(t) },
  );
  for (const seq of ["01", "1.0", "1e3", " 1", "", "x"]) {
    const url = `/v1/accounts/a/refused-records?before=${encodeURIComponent(seq)}`;
    assert.equal((await intake.call({ method: "GET", url })).statusCode, 400, seq);
  }
});

/** For each rule, a value that its schema accepts and that breaks this rule alone. */
const EXAMPLES: Readonly<Record<Exclude<RuleName, "lone_surrogates">, readonly [keyof typeof RULES_OF, string]>> = {
  record_bytes: [
    "chat_conversation",
    JSON.stringify({ ...voiceChat, messages: [{ role: "user", text: "x".repeat(1024 * 1024) }] }),
  ],
  number_length: [
    "chat_conversation",
    JSON.stringify({ ...voiceChat, duration: 0 }).replace('"duration":0', `"duration":0.${"0".repeat(999)}`),
  ],
  number_digits: [
    "demo_session",
    JSON.stringify({ ...DEMO_VIEWED_SAMPLES.knownLead, completion: 0 }).replace(":0,", ":100.00000000000000001,"),
  ],
  times_in_order: ["chat_conversation", JSON.stringify({ ...voiceChat, completed_at: "2026-11-20T12:00:00+05:00" })],
  turns_counted: ["chat_conversation", JSON.stringify({ ...readyChat, message_count: 3 })],
  signal_depth: [
    "chat_conversation",
    JSON.stringify({ ...voiceChat, extracted_variables: { a: JSON.parse("[".repeat(32) + "]".repeat(32)) } }),
  ],
  app_url_host: ["account", JSON.stringify({ name: "A", plan: "free", app_url: "https://1.2.3.4.5" })],
};

const SENT_TO: Readonly<Record<keyof typeof RULES_OF, readonly [method: "PUT" | "POST", path: string]>> = {
  demo_session: ["POST", RECORDS.demo_session.path],
  chat_conversation: ["POST", RECORDS.chat_conversation.path],
  account: ["PUT", OTHER_CALLS.account.path],
  chat_assistant: ["PUT", OTHER_CALLS.chat_assistant.path],
  dashboard_link: ["POST", OTHER_CALLS.dashboard_link.path],
};

async function readStatus(what: keyof typeof RULES_OF, body: string): Promise<number> {
  await using intake = await createTestApp();
  await intake.put("/v1/accounts/a", { name: "A", plan: "starter", app_url: "https://app.example.com" });
  const [method, path] = SENT_TO[what];
  const url = path.replace("{account_id}", "a").replace("{assistant_id}", "x");
  return (await intake.call({ method, url, body, headers: { "content-type": "application/json" } })).statusCode;
}

const findSchema = (what: keyof typeof RULES_OF) => findRequestSchema(SENT_TO[what][1], SENT_TO[what][0].toLowerCase());

describe("a rule beyond the schema", () => {
  for (const [name, [what, body]] of Object.entries(EXAMPLES)) {
    test(`${name} refuses what the schema takes`, async () => {
      const record: unknown = JSON.parse(body);
      assert.ok(compile(findSchema(what), { withFormats: true })(record));
      assert.deepEqual(brokenRules(what, record, body), [name]);
      assert.ok([413, 422].includes(await readStatus(what, body)));
    });
  }

  test("lone_surrogates takes what the schema refuses: they are read as U+FFFD first", async () => {
    const body = JSON.stringify({ person: "a\ud800b" });
    assert.equal(compile(findSchema("dashboard_link"), { withFormats: true })(JSON.parse(body)), false);
    assert.equal(await readStatus("dashboard_link", body), 201);
  });

  test("stands in the description of each schema that it is asked beside", () => {
    for (const what of Object.keys(RULES_OF) as (keyof typeof RULES_OF)[]) {
      const { description } = findSchema(what) as { description: string };
      const said = Object.entries(RULES_BEYOND_SCHEMA).filter(([, sentence]) => description.includes(sentence));
      assert.deepEqual(said.map(([name]) => name).toSorted(), [...RULES_OF[what]].toSorted(), what);
    }
  });
});
