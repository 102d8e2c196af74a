/**
 * The whole program with every secret that it handles planted as a canary, after an owner has used all of it: alerts,
 * tests, e-mails, notices, telemetry and a live stream. Tests then search what it says for the canaries.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { type IncomingMessage, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { API_KEY, createTestApp } from "./app-under-test.ts";
import { makeAccount, makeAlertSettings, makeWebhookForm } from "../make.ts";
import { startMailServer } from "../servers/mail-server.ts";
import { type OtlpCollector, startOtlpCollector } from "../servers/otlp-collector.ts";
import { type Receiver, startReceiver } from "../servers/receiver.ts";
import { type SignedIn, linkToken, signIn } from "./signed-in.ts";
import { conversation, session, toValue } from "./world.ts";
import { createVirtualClock } from "./virtual-clock.ts";
import { putAccount, putChatAssistant } from "../../../src/accounts/put-account.ts";
import type { App } from "../../../src/app.ts";
import { accept } from "../../../src/delivery/accept.ts";
import { createLog } from "../../../src/observe/log.ts";
import { demoViewed } from "../../../src/events/demo-viewed.ts";
import type { WebhookForm } from "../../../src/dashboard/contract/destinations.ts";

const ACCOUNT = "acme";
const ASSISTANT = "bot";
const ENCRYPTION_KEY = Buffer.alloc(32, "c4nary-encryption-key");

/** Those that can be chosen; the program makes the others by itself. */
export const CHOSEN = {
  "the intake key": API_KEY,
  "an alert's header": "Bearer c4nary-alert-header",
  "the alert's header without its first word": "c4nary-alert-header",
  "the alert's header before it was replaced": "c4nary-replaced-header",
  "an assistant's header": "c4nary-assistant-header",
  "a Basic header": "Basic Y2FuYXJ5OmM0bmFyeS1iYXNpYy1oZWFkZXI=",
  "a header of a test that was never saved": "c4nary-unsaved-header",
  "a client secret of OAuth": "c4nary-client-secret",
  "an access token": "c4nary-access-token",
  "the path of a channel": "c4nary-channel-path",
  "the mail server's password": "c4nary-mail-password",
  "the collector's token": "c4nary-collector-token",
  "the path of the operator's webhook": "c4nary-operator-path",
  "the operator's secret": `whsec_${Buffer.alloc(32, "c4nary-operator").toString("base64")}`,
};

/** Not secret, and yet only the account's business: these may be in its answers, never in log or metrics. */
export const PRIVATE = {
  "a query of a Webhook URL": "c4nary-url-query",
  "a payload": "c4nary-payload",
  "a header that is not secret": "c4nary-plain-header",
};

const HEADERS = [
  { name: "Authorization", value: CHOSEN["an alert's header"], secret: true },
  { name: "X-Basic", value: CHOSEN["a Basic header"], secret: true },
  { name: "X-Team", value: PRIVATE["a header that is not secret"], secret: false },
];

export const LETTER_REFUSED = "the mail server did not take";
export const NOTICE_REFUSED = "the operator's webhook did not take";

/** Debug endpoints do this: everything that came goes back. */
const echo = ({ headers, path }: { headers: Readonly<Record<string, string>>; path: string }) =>
  path === "/token" ? giveToken : echoHeaders(headers, path);

const giveToken = { body: JSON.stringify({ access_token: CHOSEN["an access token"], token_type: "Bearer" }) };

const echoHeaders = (headers: Readonly<Record<string, string>>, path: string) => ({
  status: path.startsWith("/gone") ? 410 : path.startsWith("/c4nary-operator") ? 401 : 200,
  headers: { "x-echo": headers["authorization"] ?? headers["x-token"] ?? "none" },
  body: JSON.stringify(headers),
});

export interface CanaryStage {
  readonly app: App;
  readonly receiver: Receiver;
  readonly collector: OtlpCollector;
  readonly owner: SignedIn;
  readonly viewer: SignedIn;
  readonly secrets: ReadonlyMap<string, string>;
  readonly ids: Readonly<Record<string, string>>;
  readonly log: () => string;
  readonly stream: () => string;
  readonly mails: () => string;
  readonly databaseBytes: () => string;
}

export async function setCanaryStage(building: AsyncDisposableStack): Promise<CanaryStage> {
  const { folder, receiver, mail, collector, clock, app, log } = await startAll(building);
  const { port } = await app.start();
  await putAccount(app.accounts, makeAccount({ id: ACCOUNT, plan: "growth" }));
  toValue(await putChatAssistant(app.accounts, ACCOUNT, { id: ASSISTANT, name: "Bot" }));
  const usedLink = await useLink(app);
  const owner = await signIn(app, { accountId: ACCOUNT });
  const viewer = await signIn(app, { accountId: ACCOUNT, person: "ben@example.com", role: "viewer" });
  const stream = await listen(port, owner.cookie);
  building.defer(() => stream.close());

  const ids = await usePage(owner, receiver);
  await takeRecords(app);
  await runAll(app);
  const secrets = new Map([
    ...Object.entries(CHOSEN),
    ["the encryption key", "c4nary-encryption-key"],
    ["the encryption key as Base64", ENCRYPTION_KEY.toString("base64")],
    ["the encryption key as hex", ENCRYPTION_KEY.toString("hex")],
    ["a sign-in link that was used", usedLink],
    ["a sign-in link that was not", await linkToken(app, { accountId: ACCOUNT })],
    ["the owner's session", parseToken(owner)],
    ["the viewer's session", parseToken(viewer)],
    ...(await verificationSecrets(app, owner)),
  ]);
  await untilTold({ clock, receiver, collector, log });
  return {
    app,
    receiver,
    collector,
    owner,
    viewer,
    secrets,
    ids: { ...ids, ...(await loadIds(owner)) },
    log,
    stream: stream.text,
    mails: () => mail.mails.map(({ source }) => source).join("\n"),
    databaseBytes: () =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("\n"),
  };
}

/** The program, and everything that it talks to. */
async function startAll(building: AsyncDisposableStack) {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-canaries-"));
  building.defer(() => rmSync(folder, { recursive: true }));
  const receiver = building.use(await startReceiver(echo));
  // It takes no passwords, so that the log has to tell of a sign-in that failed.
  const mail = building.use(await startMailServer({ takesLogins: false }));
  const collector = building.use(await startOtlpCollector());
  const clock = createVirtualClock();
  const sink = new PassThrough();
  let log = "";
  sink.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const env = {
    BELLWIRE_DATABASE: `sqlite:${folder}/bellwire.db`,
    BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8",
    BELLWIRE_PLAYGROUND: "1",
    BELLWIRE_SMTP_URL: mail.url.replace("//", `//bellwire:${CHOSEN["the mail server's password"]}@`),
    BELLWIRE_MAIL_FROM: "bellwire@example.com",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-token=${CHOSEN["the collector's token"]}`,
    BELLWIRE_OPERATOR_WEBHOOK_URL: `${receiver.url}/${CHOSEN["the path of the operator's webhook"]}`,
    BELLWIRE_OPERATOR_WEBHOOK_SECRET: CHOSEN["the operator's secret"],
  };
  const keys = { encryptionKey: ENCRYPTION_KEY, apiKeys: [API_KEY], madeFiles: [] };
  const { app } = building.use(await createTestApp(env, { clock, keys, log: createLog("trace", sink) }));
  return { folder, receiver, mail, collector, clock, app, log: () => log };
}

/** Signs somebody in by a link, which cannot be used again. */
async function useLink(app: App): Promise<string> {
  const token = await linkToken(app, { accountId: ACCOUNT });
  await app.server.inject({
    method: "POST",
    url: "/dashboard/sign-in",
    headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" },
    payload: { token },
  });
  return token;
}

/** Records come in by the path's own verb, and one by a call of the intake. */
async function takeRecords(app: App): Promise<void> {
  const records = [
    session(1, { name: PRIVATE["a payload"] }),
    session(2),
    conversation(1, { assistant_id: ASSISTANT, conversation_summary: PRIVATE["a payload"] }),
  ];
  toValue(await accept({ ctx: app.delivery, engine: app.engine }, ACCOUNT, records));
  const called = await app.server.inject({
    method: "POST",
    url: `/v1/accounts/${ACCOUNT}/demo-sessions?key=${PRIVATE["a query of a Webhook URL"]}`,
    headers: {
      authorization: `Bearer ${API_KEY}`,
      "content-type": "application/json",
      "user-agent": PRIVATE["a header that is not secret"],
    },
    payload: JSON.stringify({
      ...demoViewed.example,
      id: session(3).sourceId,
      name: PRIVATE["a payload"],
    }),
  });
  assert.equal(called.statusCode, 202, called.body);
}

/** The store, the mail server and the collector take real time, which is not the clock's. */
async function untilTold({ clock, receiver, collector, log }: TellingParams): Promise<void> {
  const hasNotice = (): boolean => receiver.requests.some(({ body }) => body.includes("destination_turned_off"));
  const hasNews = (): boolean => receiver.requests.some(({ path }) => path.includes(CHOSEN["the path of a channel"]));
  const hasTold = (): boolean =>
    log().includes(LETTER_REFUSED) && log().includes(NOTICE_REFUSED) && hasNotice() && hasNews();
  // Metrics are exported once a minute of this clock, which stands still after the loop.
  const isCollected = (): boolean =>
    collector.points().length > 0 && collector.spans.some(({ name }) => name === "POST");
  for (let tries = 0; !(hasTold() && isCollected()) && tries < 20_000; tries += 1) {
    await clock.advance(1_000);
    // A call to the collector ends after ten seconds of that clock, and may take a tenth of a second of this one.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.ok(hasTold() && isCollected(), "e-mail, notice, metrics and traces went out");
}

type TellingParams = Pick<Awaited<ReturnType<typeof startAll>>, "clock" | "receiver" | "collector" | "log">;

/** A person's work on the page: creates, replaces a secret, tests, sets up who is told, prepares a replay. */
async function usePage(owner: SignedIn, receiver: Receiver): Promise<Record<string, string>> {
  const alert = makeAlertSettings({ name: "All" });
  const url = `${receiver.url}/in?key=${PRIVATE["a query of a Webhook URL"]}`;
  const replaced = HEADERS.with(0, {
    name: "Authorization",
    value: CHOSEN["the alert's header before it was replaced"],
    secret: true,
  });
  const saved = await owner.call("POST /alerts", { body: { ...alert, webhook: hook(url, replaced) } });
  const { id, revision } = saved.answer as { id: string; revision: number };
  const params = { id };
  const again = await owner.call("PUT /alerts/:id", {
    params,
    ifMatch: revision,
    body: { ...alert, webhook: hook(url, HEADERS) },
  });
  assert.equal(again.status, 200, again.text);
  const gone = await owner.call("POST /alerts", {
    body: { ...alert, name: "Gone", webhook: hook(`${receiver.url}/gone`, []) },
  });
  assert.equal(gone.status, 200, gone.text);
  const token = { name: "X-Token", value: CHOSEN["an assistant's header"], secret: true };
  const assistant = { id: ASSISTANT };
  const put = await owner.call("PUT /assistants/:id/webhook", {
    params: assistant,
    ifMatch: 1,
    body: { webhook: { ...hook(`${receiver.url}/chat`, [token]), authentication: oauth(receiver) } },
  });
  assert.equal(put.status, 200, put.text);
  const unsaved = { ...token, value: CHOSEN["a header of a test that was never saved"] };
  await owner.call("POST /alerts/:id/test", {
    params: { id: "new" },
    body: { webhook: hook(`${receiver.url}/test`, [unsaved]) },
  });
  await owner.call("POST /failure-mail", { body: { address: "ops@example.com" } });
  const channel = { kind: "slack", name: "Ops", url: `${receiver.url}/${CHOSEN["the path of a channel"]}` };
  const channels = await owner.call("POST /news-channels", { body: channel });
  assert.equal(channels.status, 200, channels.text);
  const [{ id: channelId } = { id: "" }] = (channels.answer as { channels: { id: string }[] }).channels;
  return { alerts: id, assistants: ASSISTANT, "news-channels": channelId };
}

const oauth = ({ url }: Receiver) => ({
  oauth: {
    tokenUrl: `${url}/token`,
    clientId: "bellwire",
    clientSecret: CHOSEN["a client secret of OAuth"],
    scope: "",
    audience: "",
    clientAuthentication: "post",
  },
  certificate: null,
});

const hook = (url: string, headers: WebhookForm["headers"]) => makeWebhookForm({ url, headers });

async function runAll(app: App): Promise<void> {
  do await app.engine.lanes.load.idle();
  while ((await app.engine.tick()) > 0);
}

/** As text and without what all of them begin with. */
async function verificationSecrets(app: App, owner: SignedIn): Promise<[string, string][]> {
  await owner.call("POST /verification/rotate", { body: { kind: "secret", overlap: "none" } });
  await owner.call("POST /verification/rotate", { body: { kind: "secret", overlap: "24h" } });
  await owner.call("POST /verification/signing-key", { body: { isOn: true } });
  const key = (await app.accounts.accounts.loadAnew(ACCOUNT))?.secrets.signingKey?.current.secret ?? assert.fail();
  const shown = await Promise.all(
    ["current", "previous"].map((which) => owner.call("POST /verification/reveal", { body: { which } })),
  );
  const secrets = shown.flatMap(({ answer }, place) => {
    const { secret } = answer as { secret: string };
    assert.match(secret, /^whsec_/);
    const name = place === 0 ? "the current secret" : "the previous secret";
    return [
      [name, secret],
      [`${name} without its prefix`, secret.slice("whsec_".length)],
    ] as [string, string][];
  });
  return [...secrets, ["the signing key without its prefix", key.slice("whsk_".length)]];
}

const parseToken = ({ cookie }: SignedIn): string => cookie.split("=")[1] ?? "";

async function loadIds(owner: SignedIn): Promise<Record<string, string>> {
  const { deliveries } = (await owner.call("GET /deliveries", { query: { tests: "1" } })).answer as {
    deliveries: { id: string; destination: { id: string } | null }[];
  };
  const destination = deliveries.find((each) => each.destination !== null)?.destination?.id ?? "";
  const body = { filter: { states: ["delivered"] }, ratePerSecond: 1 };
  const replay = (await owner.call("POST /replays", { body })).answer as { id: string };
  return {
    deliveries: deliveries.map(({ id }) => id).join(","),
    destinations: destination,
    replays: replay.id,
    sessions: session(1).sourceId,
    conversations: conversation(1).sourceId,
  };
}

async function listen(port: number, cookie: string) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { host: "127.0.0.1", port, path: "/dashboard/live", headers: { cookie }, agent: false } as const;
  get(options, resolve).on("error", reject);
  const response = await promise;
  let text = JSON.stringify(response.headers);
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  response.on("error", () => {});
  return { text: () => text, close: () => void response.destroy() };
}
