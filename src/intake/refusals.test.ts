/**
 * Every refusal of intake, as one table: status, code and the field's path. After each refusal the store must hold
 * nothing of it: the good record that follows is accepted as the first of its id.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";

const ID = uuid(1);
const SESSION: Record<string, unknown> = { ...demoViewed.example, id: ID };
const CHAT: Record<string, unknown> = { ...chatConversationCompleted.example, id: ID };
const LEAD = SESSION["lead"] as Record<string, unknown>;

interface Refusal {
  readonly what: string;
  readonly body: unknown;
  readonly status: number;
  readonly code: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const without = (record: Record<string, unknown>, key: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

const field = (base: Record<string, unknown>, path: string, changes: Record<string, unknown>): Refusal => ({
  what: `${path} in ${JSON.stringify(changes).slice(0, 60)}`,
  body: { ...base, ...changes },
  status: 422,
  code: "invalid_record",
  path,
});

const missing = (base: Record<string, unknown>, path: string): Refusal => ({
  what: `a record without ${path}`,
  body: without(base, path),
  status: 422,
  code: "invalid_record",
  path,
});

const SESSION_REFUSALS: Refusal[] = [
  ...["id", "name", "share_code", "link_name", "viewed_at", "completion", "time_spent", "intent_level"].map((path) =>
    missing(SESSION, path),
  ),
  missing(SESSION, "checklist_completed"),
  field(SESSION, "id", { id: "not-a-uuid" }),
  field(SESSION, "id", { id: 7 }),
  field(SESSION, "name", { name: "" }),
  field(SESSION, "name", { name: null }),
  field(SESSION, "viewed_at", { viewed_at: "2026-11-20T12:00:00" }),
  field(SESSION, "viewed_at", { viewed_at: "2026-02-30T12:00:00Z" }),
  field(SESSION, "viewed_at", { viewed_at: "yesterday" }),
  field(SESSION, "viewed_at", { viewed_at: 1_790_000_000 }),
  field(SESSION, "completion", { completion: -1 }),
  field(SESSION, "completion", { completion: 101 }),
  field(SESSION, "completion", { completion: "50" }),
  field(SESSION, "time_spent", { time_spent: -0.5 }),
  field(SESSION, "intent_level", { intent_level: "" }),
  field(SESSION, "intent_level", { intent_level: "x".repeat(65) }),
  field(SESSION, "checklist_completed", { checklist_completed: "yes" }),
  field(SESSION, "cta_opened", { cta_opened: 7 }),
  field(SESSION, "cta_opened", { cta_opened: "x".repeat(8_193) }),
  field(SESSION, "referers", { referers: "https://a.example" }),
  field(SESSION, "referers[1]", { referers: ["https://a.example", null] }),
  field(SESSION, "utm_params.utm_source", { utm_params: { utm_source: 5 } }),
  field(SESSION, "lead", { lead: "Ada" }),
  field(SESSION, "lead.id", { lead: without(LEAD, "id") }),
  field(SESSION, "lead.email", { lead: { ...LEAD, email: "no at sign" } }),
  field(SESSION, "lead.first_name", { lead: { ...LEAD, first_name: 1 } }),
  field(SESSION, "lead.age", { lead: { ...LEAD, age: 36 } }),
  field(SESSION, "buyer_reveal.company_name", { buyer_reveal: { company_name: 5 } }),
  field(SESSION, "location.town", { location: { town: "Paris" } }),
  field(SESSION, "visited_at", { visited_at: "2026-11-20T12:00:00Z" }),
  { what: "an array", body: [SESSION], status: 422, code: "invalid_record", path: "" },
  { what: "null", body: "null", status: 422, code: "invalid_record", path: "" },
  { what: "half a JSON text", body: '{"id":', status: 400, code: "invalid_json" },
  { what: "an empty body", body: "", status: 400, code: "invalid_json" },
  { what: "bytes that are not UTF-8", body: Buffer.from([0x7b, 0xff, 0x7d]), status: 400, code: "invalid_json" },
  {
    what: "a form",
    body: "a=1",
    status: 415,
    code: "unsupported_media_type",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  },
  {
    what: "plain text",
    body: "hello",
    status: 415,
    code: "unsupported_media_type",
    headers: { "content-type": "text/plain" },
  },
  {
    what: "a body above 1 MiB",
    body: { ...SESSION, name: "x".repeat(1024 * 1024) },
    status: 413,
    code: "body_too_large",
  },
  { what: "a wrong key", body: SESSION, status: 401, code: "unauthorized", headers: { authorization: "Bearer wrong" } },
  {
    what: "another scheme than Bearer",
    body: SESSION,
    status: 401,
    code: "unauthorized",
    headers: { authorization: "Basic eDp5" },
  },
];

const CHAT_REFUSALS: Refusal[] = [
  ...["id", "assistant_id", "conversation_summary", "topics", "intent_level", "started_at", "completed_at"].map(
    (path) => missing(CHAT, path),
  ),
  field(CHAT, "assistant_id", { assistant_id: "has spaces" }),
  field(CHAT, "intent_level", { intent_level: "burning" }),
  field(CHAT, "topics[0]", { topics: [5] }),
  field(CHAT, "mode", { mode: "video" }),
  field(CHAT, "messages[0].role", { messages: [{ role: "bot", text: "Hi" }] }),
  field(CHAT, "messages[0].text", { messages: [{ role: "user" }] }),
  field(CHAT, "transcript", { transcript: "[Text mode]\n\nUser: Hi", message_count: 1 }),
  field(CHAT, "completed_at", { started_at: "2026-11-20T12:00:00Z", completed_at: "2026-11-20T11:59:59Z" }),
  field(CHAT, "duration", { duration: -1 }),
  field(CHAT, "extracted_variables.qualified", { extracted_variables: { qualified: "yes" } }),
  field(CHAT, "event", { event: "chat_conversation_completed" }),
];

for (const [noun, good, refusals] of [
  ["demo-sessions", SESSION, SESSION_REFUSALS],
  ["chat-conversations", CHAT, CHAT_REFUSALS],
] as const) {
  for (const { what, body, status, code, path, headers } of refusals) {
    test(`${noun} refuses ${what} with ${status} ${code}${path === undefined ? "" : ` at "${path}"`}`, async () => {
      await using intake = await createTestApp();
      await intake.put("/v1/accounts/a", { name: "A", plan: "starter", app_url: "https://app.example.com" });
      const response = await intake.post(`/v1/accounts/a/${noun}`, body, headers);
      const refusal = response.json();
      assert.equal(response.statusCode, status, response.body);
      assert.match(String(response.headers["content-type"]), /^application\/problem\+json/);
      assert.equal(refusal.code, code);
      if (path !== undefined) {
        const errors: { path: string; message: string }[] = refusal.errors;
        assert.ok(
          errors.some((error) => error.path === path),
          `paths: ${errors.map((error) => error.path).join(", ")}`,
        );
        for (const { message } of errors) assert.ok(message.length > 8, `says what would be right: ${message}`);
      }
      assert.equal((await intake.post(`/v1/accounts/a/${noun}`, good)).statusCode, 202, "nothing was stored");
    });
  }
}

const ACCOUNT = { name: "A", plan: "starter", app_url: "https://app.example.com" };
const OTHER_CALLS: [string, "GET" | "PUT" | "POST" | "DELETE", string, unknown, number, string, string?][] = [
  ["an unknown account", "POST", "/v1/accounts/nobody/demo-sessions", SESSION, 404, "account_not_found"],
  ["an account id with a slash", "PUT", "/v1/accounts/a%2Fb", ACCOUNT, 400, "invalid_parameter", "account_id"],
  ["an address with a broken % sign", "PUT", "/v1/accounts/%zz", ACCOUNT, 400, "invalid_request"],
  [
    "an account id of 129 characters",
    "PUT",
    `/v1/accounts/${"a".repeat(129)}`,
    ACCOUNT,
    400,
    "invalid_parameter",
    "account_id",
  ],
  ["a plan that there is not", "PUT", "/v1/accounts/a", { ...ACCOUNT, plan: "gold" }, 422, "invalid_record", "plan"],
  [
    "an app_url that is no address",
    "PUT",
    "/v1/accounts/a",
    { ...ACCOUNT, app_url: "app" },
    422,
    "invalid_record",
    "app_url",
  ],
  [
    "an app_url with a NUL character",
    "PUT",
    "/v1/accounts/acct-1",
    { ...ACCOUNT, app_url: "https://a.example/\0" },
    422,
    "invalid_record",
    "app_url",
  ],
  [
    "a name with a NUL character",
    "PUT",
    "/v1/accounts/acct-1",
    { ...ACCOUNT, name: "a\0" },
    422,
    "invalid_record",
    "name",
  ],
  [
    "an app_url with a query",
    "PUT",
    "/v1/accounts/a",
    { ...ACCOUNT, app_url: "https://a.example/?x" },
    422,
    "invalid_record",
    "app_url",
  ],
  [
    "an app_url without its slashes",
    "PUT",
    "/v1/accounts/a",
    { ...ACCOUNT, app_url: "https:a.example" },
    422,
    "invalid_record",
    "app_url",
  ],
  [
    "an app_url with an empty user",
    "PUT",
    "/v1/accounts/a",
    { ...ACCOUNT, app_url: "https://@a.example" },
    422,
    "invalid_record",
    "app_url",
  ],
  ["an account without a name", "PUT", "/v1/accounts/a", without(ACCOUNT, "name"), 422, "invalid_record", "name"],
  [
    "an assistant of an unknown account",
    "PUT",
    "/v1/accounts/nobody/chat-assistants/x",
    { name: "X" },
    404,
    "account_not_found",
  ],
  [
    "a field that an assistant has not",
    "PUT",
    "/v1/accounts/a/chat-assistants/x",
    { name: "X", url: "https://x.example" },
    422,
    "invalid_record",
    "url",
  ],
  ["another method", "POST", "/v1/accounts/a", undefined, 405, "method_not_allowed"],
  ["reading sessions", "GET", "/v1/accounts/a/demo-sessions", undefined, 405, "method_not_allowed"],
  ["an address that there is not", "POST", "/v1/webhooks", {}, 404, "not_found"],
];
for (const [what, method, url, body, status, code, path] of OTHER_CALLS) {
  test(`intake refuses ${what} with ${status} ${code}`, async () => {
    await using intake = await createTestApp();
    const response = await intake.call({ method, url, body });
    assert.equal(response.statusCode, status, response.body);
    assert.equal(response.json().code, code);
    if (path !== undefined) assert.equal(response.json().errors[0].path, path);
  });
}

const NEAR: readonly (readonly [url: string, advice: string])[] = [
  ["/v1/accounts/a/demo-sessions/", "A slash may be too many: /v1/accounts/a/demo-sessions."],
  ["//v1/accounts/a//demo-sessions?x=1", "A slash may be too many: /v1/accounts/a/demo-sessions."],
  ["/v1/accounts/a/demo_sessions", "/openapi.json lists the addresses."],
];
for (const [url, advice] of NEAR) {
  test(`an answer says of ${url} how it goes on`, async () => {
    await using intake = await createTestApp();
    const { status, detail } = (await intake.call({ method: "POST", url, body: {} })).json();
    assert.equal(status, 404);
    assert.equal(detail, `Nothing is served at POST ${url.replace("?x=1", "")}. ${advice}`);
  });
}

test("a batch above 8 MiB is refused as a whole", async () => {
  await using intake = await createTestApp();
  const headers = { "content-type": "application/x-ndjson" };
  const response = await intake.post("/v1/accounts/a/demo-sessions", "x".repeat(8 * 1024 * 1024 + 1), headers);
  assert.equal(response.json().code, "body_too_large");
});

test("request headers above 16 KiB are refused before anything is read", async () => {
  await using intake = await createTestApp();
  const { port } = await intake.app.start();
  const response = await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { "x-big": "x".repeat(17 * 1024) } });
  assert.equal(response.status, 431);
  assert.equal(((await response.json()) as { code: string }).code, "headers_too_large");
});
