import assert from "node:assert/strict";
import { test } from "node:test";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { chatConversationCompleted } from "../events/chat-conversation-completed.ts";

const ACCOUNT = { name: "Example", plan: "starter", app_url: "https://app.example.com/" };
const SESSIONS = "/v1/accounts/acct-1/demo-sessions";
const CONVERSATIONS = "/v1/accounts/acct-1/chat-conversations";
const session = { ...demoViewed.example };
const conversation = { ...chatConversationCompleted.example };

async function createIntake() {
  const intake = await createTestApp();
  assert.equal((await intake.put("/v1/accounts/acct-1", ACCOUNT)).statusCode, 201);
  return intake;
}

test("an account is created with 201 and updated with 200, its app_url without a slash at the end", async () => {
  await using intake = await createTestApp();
  const created = await intake.put("/v1/accounts/acct-1", ACCOUNT);
  assert.equal(created.statusCode, 201);
  assert.deepEqual(created.json(), { id: "acct-1", ...ACCOUNT, app_url: "https://app.example.com" });
  const updated = await intake.put("/v1/accounts/acct-1", { ...ACCOUNT, plan: "free" });
  assert.equal(updated.statusCode, 200);
  assert.equal(updated.json().plan, "free");
});

test("putting an account again keeps its verification secret", async () => {
  await using intake = await createIntake();
  const before = (await intake.app.accounts.accounts.load("acct-1"))?.secrets;
  await intake.put("/v1/accounts/acct-1", { ...ACCOUNT, name: "Renamed" });
  const after = await intake.app.accounts.accounts.load("acct-1");
  assert.equal(after?.account.name, "Renamed");
  assert.deepEqual(after?.secrets, before);
});

test("a chat assistant is created with 201 and renamed with 200", async () => {
  await using intake = await createIntake();
  const url = "/v1/accounts/acct-1/chat-assistants/sales";
  assert.equal((await intake.put(url, { name: "Sales" })).statusCode, 201);
  const renamed = await intake.put(url, { name: "Sales EU" });
  assert.equal(renamed.statusCode, 200);
  assert.deepEqual(renamed.json(), { id: "sales", name: "Sales EU" });
});

test("a session is accepted with 202, and its repeat answers 200 with the same event", async () => {
  await using intake = await createIntake();
  const first = await intake.post(SESSIONS, session);
  assert.equal(first.statusCode, 202);
  const { id, event_id, deliveries, duplicate } = first.json();
  assert.deepEqual({ id, deliveries, duplicate }, { id: session["id"], deliveries: 0, duplicate: false });
  const again = await intake.post(SESSIONS, { ...session, name: "Changed meanwhile" });
  assert.equal(again.statusCode, 200);
  assert.deepEqual(again.json(), { id, event_id, deliveries: 0, duplicate: true, differs: true });
  assert.deepEqual((await intake.post(SESSIONS, session)).json(), { id, event_id, deliveries: 0, duplicate: true });
});

test("lone surrogates become U+FFFD and ids lower case, in one record and in a batch", async () => {
  await using intake = await createIntake();
  const loadBody = async (sourceId: string): Promise<string> => {
    const event = { accountId: "acct-1", type: "demo_viewed", sourceId } as const;
    return (await intake.app.accounts.store.loadEvent(event))?.body ?? "";
  };
  const upper = (n: number): string => uuid(n).replace(/^.{8}/, "ABCDEF00");
  const hostile = (n: number): string =>
    JSON.stringify({ ...session, id: upper(n), name: "Tour \ud800!", utm_params: { "\udc00": "1", "\ud801": "2" } });
  assert.equal((await intake.post(SESSIONS, hostile(1))).json().id, upper(1).toLowerCase());
  const batch = await intake.post(SESSIONS, `${hostile(2)}\n`, { "content-type": "application/x-ndjson" });
  assert.equal(JSON.parse(batch.body).id, upper(2).toLowerCase());
  for (const n of [1, 2]) {
    const text = await loadBody(upper(n).toLowerCase());
    const body = JSON.parse(text);
    assert.deepEqual([body.name, body.utm_params], ["Tour \ufffd!", { "\ufffd": "2" }]);
    assert.equal(body.id, upper(n).toLowerCase());
    assert.equal(body.analytics_url, `https://app.example.com/audience/sessions/${body.id}`);
    assert.doesNotMatch(text, /\\u[dD][89a-fA-F]|ABCDEF/);
  }
  const repeat = await intake.post(SESSIONS, { ...session, id: upper(1).toLowerCase() });
  assert.equal(repeat.json().duplicate, true);
});

test("ids of accounts that differ in case alone are two accounts", async () => {
  await using intake = await createIntake();
  assert.equal((await intake.put("/v1/accounts/ACCT-1", ACCOUNT)).statusCode, 201);
  assert.equal((await intake.post(SESSIONS, session)).statusCode, 202);
  const other = await intake.post("/v1/accounts/ACCT-1/demo-sessions", session);
  assert.deepEqual([other.statusCode, other.json().duplicate], [202, false]);
});

test("a conversation and a session of the same id are two events", async () => {
  await using intake = await createIntake();
  const first = await intake.post(SESSIONS, { ...session, id: uuid(1) });
  const second = await intake.post(CONVERSATIONS, { ...conversation, id: uuid(1) });
  assert.equal(second.statusCode, 202);
  assert.notEqual(first.json().event_id, second.json().event_id);
});

test("the same session id in two accounts is two events", async () => {
  await using intake = await createIntake();
  await intake.put("/v1/accounts/acct-2", ACCOUNT);
  await intake.post(SESSIONS, session);
  assert.equal((await intake.post("/v1/accounts/acct-2/demo-sessions", session)).statusCode, 202);
});

const NDJSON = { "content-type": "application/x-ndjson" };
const parseLines = (body: string) =>
  body
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("a batch answers a line for each line, in order, and a bad line fails alone", async () => {
  await using intake = await createIntake();
  const lines = [
    JSON.stringify({ ...session, id: uuid(1) }),
    "",
    "{not json",
    JSON.stringify({ ...session, id: uuid(2), completion: "half" }),
    JSON.stringify({ ...session, id: uuid(1) }),
    JSON.stringify({ ...session, id: uuid(3) }),
  ];
  const response = await intake.post(SESSIONS, lines.join("\r\n"), NDJSON);
  assert.equal(response.statusCode, 200);
  assert.match(String(response.headers["content-type"]), /^application\/x-ndjson/);
  const answers = parseLines(response.body);
  assert.deepEqual(
    answers.map(({ line }) => line),
    [1, 3, 4, 5, 6],
  );
  assert.deepEqual(
    answers.map(({ code, duplicate }) => code ?? duplicate),
    [false, "invalid_json", "invalid_record", true, false],
  );
  assert.equal(answers[2].errors[0].path, "completion");
  assert.equal(answers[3].event_id, answers[0].event_id);
});

test("a line that is not UTF-8 fails alone", async () => {
  await using intake = await createIntake();
  const good = Buffer.from(`${JSON.stringify({ ...session, id: uuid(1) })}\n`);
  const response = await intake.post(SESSIONS, Buffer.concat([good, Buffer.from([0xff, 0x0a]), good]), NDJSON);
  assert.deepEqual(
    parseLines(response.body).map(({ code, duplicate }) => code ?? duplicate),
    [false, "invalid_json", true],
  );
});

test("a batch of 1000 records is taken and one of 1001 is not, as a whole", async () => {
  await using intake = await createIntake();
  const batch = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => JSON.stringify({ ...session, id: uuid(from + index) })).join("\n");
  const taken = await intake.post(SESSIONS, batch(1_000, 1), NDJSON);
  assert.equal(parseLines(taken.body).filter(({ duplicate }) => duplicate === false).length, 1_000);
  const refused = await intake.post(SESSIONS, batch(1_001, 5_000), NDJSON);
  assert.equal(refused.statusCode, 413);
  assert.equal(refused.json().code, "batch_too_large");
});

test("a dashboard link is made for a known account and names its expiry", async () => {
  await using intake = await createIntake();
  const made = await intake.post("/v1/accounts/acct-1/dashboard-links");
  assert.equal(made.statusCode, 201);
  assert.match(made.json().url, /\/sign-in\/[\w-]{43}$/);
  const minutes = (Date.parse(made.json().expires_at) - Date.now()) / 60_000;
  assert.ok(minutes > 4.9 && minutes <= 5, `${minutes} minutes`);
  assert.equal((await intake.post("/v1/accounts/nobody/dashboard-links")).json().code, "account_not_found");
});

test("a dashboard link may open one page alone, and no address but one of the dashboard", async () => {
  await using intake = await createIntake();
  const ask = (embed: unknown) => intake.post("/v1/accounts/acct-1/dashboard-links", { embed });
  const url = async (embed: unknown) => String((await ask(embed)).json().url);
  assert.match(await url({ page: "/settings/alerts", theme: "dark" }), /\?embed=%2Fsettings%2Falerts&theme=dark$/);
  assert.match(await url({ page: "/" }), /\?embed=%2F$/);
  for (const page of ["//evil.example", "https://evil.example", "settings", "/a//b", "/a?b=c", "/\\evil.example", ""]) {
    assert.deepEqual([page, (await ask({ page })).json().code], [page, "invalid_record"]);
  }
  assert.equal((await ask({ page: "/", theme: "blue" })).json().code, "invalid_record");
});

test("a dashboard link may have tabs and a look, of bounded kinds alone", async () => {
  await using intake = await createIntake();
  const ask = (embed: object) => intake.post("/v1/accounts/acct-1/dashboard-links", { embed: { page: "/", ...embed } });
  const query = async (embed: object) => Object.fromEntries(new URL((await ask(embed)).json().url).searchParams);
  const look = { background: "#14110f", font: "serif", radius: 4, dense: true, transparent: false };
  // The colours say the scheme.
  const texts = { background: "#14110f", font: "serif", radius: "4", dense: "true", transparent: "false" };
  assert.deepEqual(await query({ look }), { embed: "/", theme: "dark", ...texts });
  const { url } = (await ask({ tabs: ["/settings/alerts", "/deliveries"] })).json();
  assert.match(url, /\?embed=%2F&tab=%2Fsettings%2Falerts&tab=%2Fdeliveries$/);
  for (const [embed, message] of [
    [{ tabs: ["/settings"] }, /^embed\.tabs\[0\] must be one of/],
    [{ tabs: ["/deliveries", "/deliveries"] }, /^embed\.tabs /],
    [{ look: { text: "red" } }, /^embed\.look\.text must be a colour such as #3346c4/],
    [{ look: { text: "#fff" } }, /^embed\.look\.text must be a colour/],
    [{ look: { font: "Comic Sans" } }, /^embed\.look\.font must be one of/],
    [{ look: { radius: 25 } }, /^embed\.look\.radius /],
    [{ look: { radius: 1.5 } }, /^embed\.look\.radius /],
    [{ look: { dense: "true" } }, /^embed\.look\.dense /],
    [{ look: { "--x": "url(//evil.example)" } }, /^embed\.look\.--x /],
    [{ look: { background: "#ffffff", text: "#888888" } }, /^embed\.look\.text has a contrast of 3\.5 on #ffffff/],
    [{ look: { accent: "#ffcc00" } }, /^embed\.look\.accent is too light/],
    [{ theme: "light", look: { background: "#14110f" } }, /^embed\.theme is light, and the colours/],
  ] as const) {
    const refused = (await ask(embed)).json();
    assert.equal(refused.code, "invalid_record", JSON.stringify(embed));
    assert.match(refused.detail, message);
  }
});

test("any of several intake keys lets a caller in", async () => {
  const keys = {
    encryptionKey: new Uint8Array(32),
    apiKeys: ["an-older-key-0123456789", "a-newer-key-0123456789"],
    madeFiles: [],
  };
  await using intake = await createTestApp({}, { keys });
  for (const key of keys.apiKeys) {
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await intake.put("/v1/accounts/a", ACCOUNT, headers)).statusCode < 300, true);
  }
});

test("after 20 wrong keys in a minute the answer is 429, while a right key still gets in", async () => {
  await using intake = await createIntake();
  const guess = () => intake.post(SESSIONS, session, { authorization: "Bearer wrong-key" });
  const answers = [];
  for (let tries = 0; tries < 22; tries += 1) answers.push((await guess()).statusCode);
  assert.deepEqual(answers, [...Array<number>(20).fill(401), 429, 429]);
  assert.equal((await guess()).headers["retry-after"], "60");
  assert.equal((await intake.post(SESSIONS, session)).statusCode, 202);
});

test("no answer repeats the intake key, and errors show no stack", async () => {
  await using intake = await createIntake();
  const bodies = [
    await intake.post(SESSIONS, "{"),
    await intake.post(SESSIONS, { ...session, [API_KEY]: 1 }, { authorization: `Bearer ${API_KEY}x` }),
    await intake.call({ method: "GET", url: `/nothing?key=${API_KEY}` }),
  ].map(({ body }) => body);
  for (const body of bodies) assert.doesNotMatch(body, new RegExp(`${API_KEY}|at .*\\.ts`));
});

test("health, readiness and metrics answer without a key", async () => {
  await using intake = await createIntake();
  await intake.post(SESSIONS, session);
  await intake.post(SESSIONS, session);
  const open = (url: string) => intake.app.server.inject({ method: "GET", url });
  assert.deepEqual((await open("/healthz")).json(), { status: "alive" });
  assert.deepEqual((await open("/readyz")).json(), { status: "ready" });
  const metrics = (await open("/metrics")).body;
  assert.match(metrics, /bellwire_events_accepted_total\{event="demo_viewed"\} 1\n/);
  assert.match(metrics, /bellwire_events_duplicate_total\{event="demo_viewed"\} 1\n/);
  assert.match(metrics, /bellwire_deliveries_waiting 0\n/);
});
