/** Access tokens and client certificates through the whole program: saved, shown, tested, delivered and refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { makeAuthority } from "../../../test/kit/servers/certificates.ts";
import { type Receiver, startReceiver } from "../../../test/kit/servers/receiver.ts";
import { type Answers, createAnswers, listPaths, toProblem } from "../../../test/kit/world/answers.ts";
import { createVirtualClock } from "../../../test/kit/world/virtual-clock.ts";
import { session, toValue } from "../../../test/kit/world/world.ts";
import { daysMs } from "../../lib/duration.ts";
import type { AlertForm } from "../contract/alerts.ts";
import type { OauthForm } from "../contract/destinations.ts";

const startTokens = () =>
  startReceiver(({ number }) => ({
    body: JSON.stringify({ access_token: `c4nary-token-${number}`, expires_in: 3600 }),
  }));

const oauth = (tokens: Receiver, changes: Partial<OauthForm> = {}): OauthForm => ({
  tokenUrl: `${tokens.url}/token`,
  clientId: "bellwire",
  clientSecret: "c4nary-client-secret",
  scope: "hooks",
  audience: "",
  clientAuthentication: "basic",
  ...changes,
});

const alert = (receiver: Receiver, form: OauthForm, url = `${receiver.url}/in`): AlertForm =>
  makeAlertForm({ webhook: makeWebhookForm({ url, authentication: { oauth: form, certificate: null } }) });

async function readOnlyDelivery(answers: Answers) {
  const [row] = toValue(await answers.call("GET /deliveries")).deliveries;
  return toValue(await answers.call("GET /deliveries/:id", { params: { id: row?.id ?? "" } }));
}

test("a saved alert sends with a token, and neither secret nor token is in any answer", async () => {
  await using receiver = await startReceiver(({ headers }) => ({ body: JSON.stringify(headers) }));
  await using tokens = await startTokens();
  await using answers = await createAnswers();
  const { id } = toValue(await answers.call("POST /alerts", { body: alert(receiver, oauth(tokens)) }));
  const detail = toValue(await answers.call("GET /alerts/:id", { params: { id } }));
  assert.deepEqual(detail.webhook?.authentication?.oauth, oauth(tokens, { clientSecret: null }));
  toValue(await answers.accept(session(1)));
  toValue(await answers.accept(session(2)));
  await answers.run();
  assert.deepEqual(
    receiver.requests.map(({ headers }) => headers["authorization"]),
    ["Bearer c4nary-token-1", "Bearer c4nary-token-1"],
  );
  assert.equal(tokens.requests.length, 1);
  const delivery = await readOnlyDelivery(answers);
  assert.equal(delivery.attempts[0]?.requestHeaders["authorization"], "Bearer ••••••••");
  assert.equal(delivery.attempts[0]?.outcome.class, "success");
  assert.doesNotMatch(JSON.stringify([detail, delivery]), /c4nary/);
});

test("a saved secret is kept by Save and Test, and is asked for again when either server changes", async () => {
  await using receiver = await startReceiver();
  await using tokens = await startTokens();
  await using thief = await startTokens();
  await using answers = await createAnswers();
  const { id } = toValue(await answers.call("POST /alerts", { body: alert(receiver, oauth(tokens)) }));
  const params = { id };
  const kept = { clientSecret: null };
  const stolen = [alert(receiver, oauth(thief, kept)), alert(receiver, oauth(tokens, kept), `${thief.url}/in`)];
  for (const body of stolen) {
    const webhook = body.webhook ?? assert.fail();
    const refusals = [
      await answers.call("PUT /alerts/:id", { params, body, ifMatch: 1 }),
      await answers.call("POST /alerts/:id/test", { params, body: { webhook } }),
    ];
    for (const refused of refusals) {
      assert.deepEqual(listPaths(refused), ["webhook.authentication.oauth.clientSecret"]);
      assert.equal(toProblem(refused).code, "invalid_authentication");
    }
  }
  assert.equal(thief.requests.length, 0);
  const body = alert(receiver, oauth(tokens, { ...kept, scope: "other" }));
  toValue(await answers.call("PUT /alerts/:id", { params, body, ifMatch: 1 }));
  const webhook = body.webhook ?? assert.fail();
  const tested = toValue(await answers.call("POST /alerts/:id/test", { params, body: { webhook } }));
  assert.equal(tested.outcome.class, "success");
  assert.equal(tested.request.headers["authorization"], "Bearer ••••••••");
  assert.match(tokens.requests.at(-1)?.body.toString() ?? "", /scope=other/);
});

test("a test with unsaved values tells why there is no token, and calls no receiver", async () => {
  await using receiver = await startReceiver();
  await using tokens = await startReceiver({ status: 401, body: '{"error":"invalid_client"}' });
  await using answers = await createAnswers();
  const webhook = alert(receiver, oauth(tokens)).webhook ?? assert.fail();
  const { outcome } = toValue(
    await answers.call("POST /alerts/:id/test", { params: { id: "new" }, body: { webhook } }),
  );
  assert.deepEqual([outcome.class, outcome.status, outcome.response], ["token", "No access token", null]);
  assert.equal(
    outcome.sentence,
    `Without an access token the test was not sent: 127.0.0.1:${tokens.port} answered 401 (invalid_client) ` +
      "and gave no token.",
  );
  assert.match(outcome.advice, /^Check client id and client secret/);
  assert.equal(receiver.requests.length, 0);
});

test("a delivery without a token is retried by its schedule, and its row says so", async () => {
  await using receiver = await startReceiver();
  await using tokens = await startReceiver({ status: 503 });
  await using answers = await createAnswers();
  toValue(await answers.call("POST /alerts", { body: alert(receiver, oauth(tokens)) }));
  toValue(await answers.accept(session(1)));
  await answers.run();
  const { status, last, attempts, attemptsInSchedule } = await readOnlyDelivery(answers);
  assert.deepEqual([status, attemptsInSchedule, last?.code, last?.class], ["retrying", 1, "token_error", "token"]);
  assert.match(attempts[0]?.outcome.advice ?? "", /identity provider's status\. It is tried again by itself\.$/);
});

test("a token URL that may not be called is refused at Save, by its field", async () => {
  await using receiver = await startReceiver();
  await using tokens = await startTokens();
  await using answers = await createAnswers();
  const body = alert(receiver, oauth(tokens, { tokenUrl: "http://10.0.0.5/token" }));
  const refused = await answers.call("POST /alerts", { body });
  assert.deepEqual(listPaths(refused), ["webhook.authentication.oauth.tokenUrl"]);
  assert.match(toProblem(refused).errors?.[0]?.message ?? "", /private address/);
});

test("a client certificate is shown with its subject and end, and its key never", async () => {
  const client = makeAuthority("Receiver's CA").issue("acme", { untilMs: Date.UTC(2030, 0, 1) });
  await using answers = await createAnswers();
  const certificate = { chain: client.certificate, key: client.key };
  const webhook = makeWebhookForm({ url: "https://127.0.0.1:9/in", authentication: { oauth: null, certificate } });
  const body = makeAlertForm({ name: "Strict", webhook });
  const { id } = toValue(await answers.call("POST /alerts", { body }));
  const detail = toValue(await answers.call("GET /alerts/:id", { params: { id } }));
  const facts = { subject: "CN=acme", issuer: "CN=Receiver's CA", validToMs: Date.UTC(2030, 0, 1) };
  const validFromMs = Date.UTC(2001, 0, 1);
  assert.deepEqual(detail.webhook?.authentication?.certificate, {
    chain: client.certificate,
    key: null,
    ...facts,
    validFromMs,
  });
  assert.doesNotMatch(JSON.stringify(detail), /PRIVATE KEY/);
  const read = await answers.call("POST /client-certificate", { body: { chain: client.certificate } });
  assert.deepEqual(toValue(read), { ...facts, validFromMs });
  const unread = await answers.call("POST /client-certificate", { body: { chain: "hello" } });
  assert.deepEqual(listPaths(unread), ["chain"]);
});

test("a list of destinations names the end of a client certificate from 30 days before it on", async () => {
  const clock = createVirtualClock();
  const endsAtMs = Math.floor(clock.nowMs() / 1_000) * 1_000 + daysMs(40);
  const client = makeAuthority("Receiver's CA").issue("acme", { untilMs: endsAtMs });
  await using answers = await createAnswers({ clock });
  const authentication = { oauth: null, certificate: { chain: client.certificate, key: client.key } };
  const webhook = makeWebhookForm({ url: "https://127.0.0.1:9/in", authentication });
  const body = makeAlertForm({ name: "Strict", webhook });
  toValue(await answers.call("POST /alerts", { body }));
  const ends = async () => toValue(await answers.call("GET /destinations")).destinations[0]?.certificateEndsAtMs;
  assert.equal(await ends(), undefined);
  await clock.advance(daysMs(11));
  assert.equal(await ends(), endsAtMs);
});
