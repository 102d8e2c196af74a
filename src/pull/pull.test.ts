/** `GET /pull` against the whole service: what a program gets, what it may ask, and when a wait ends. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { createAlert, createPulled } from "../../test/kit/world/alerts.ts";
import { listLog, noneWaits, startAsked, waitsOf } from "../../test/kit/world/asked.ts";
import { type Dashboard, OWNERS_ACCOUNT, startDashboard } from "../../test/kit/world/dashboard.ts";
import { ask, idsOf } from "../../test/kit/process/asking.ts";
import { eventually } from "../../test/kit/wait.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { signService } from "../domain/signature.ts";
import { setAccountState } from "../accounts/put-account.ts";
import { setDestinationState } from "../accounts/set-destination-state.ts";
import { deleteWebhook, saveWebhook } from "../accounts/save-webhook.ts";
import { PULL_URL } from "../domain/pull.ts";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { toValue, uuid } from "../../test/kit/world/world.ts";
import { makePullToken } from "../accounts/pull-token.ts";
import { verify } from "../receiver/verify-event.ts";

const addFormats = formats as unknown as typeof formats.default;

/** What is read of the OpenAPI document here. */
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly parameters: readonly { readonly name: string; readonly example?: number }[];
          readonly responses: Readonly<
            Record<
              string,
              {
                readonly content: Readonly<
                  Record<
                    string,
                    { readonly schema: object; readonly examples: { readonly answer: { value: unknown } } }
                  >
                >;
              }
            >
          >;
        };
      }
    >
  >;
}

const accountId = OWNERS_ACCOUNT;
const by = { person: "ana@example.com", role: "owner" } as const;

const isWaiting = (dashboard: Dashboard) => eventually("a question waits", async () => waitsOf(dashboard) > 0);

async function postMany({ postSession }: Dashboard, count: number, first = 1): Promise<void> {
  for (let n = first; n < first + count; n += 1) await postSession(n);
}

describe("what a program gets", () => {
  test("messages as they would be sent, oldest first, and each until it is acknowledged", async () => {
    const { dashboard, token, destinationId } = await startAsked();
    await using _ = dashboard;
    await postMany(dashboard, 3);
    const first = await ask(dashboard.url, token, "limit=2");
    assert.deepEqual([first.status, first.headers.get("cache-control")], [200, "no-store"]);
    const view = await dashboard.app.accounts.accounts.loadAnew(accountId);
    const secret = view?.secrets.current.secret ?? "";
    for (const { id, headers, body } of first.answer.messages) {
      assert.equal(headers["webhook-id"], id);
      assert.equal(verify(Buffer.from(body), headers, secret).valid, true);
      assert.equal(headers["x-service-signature"], signService(body, secret));
    }
    const sessions = first.answer.messages.map(({ body }) => (JSON.parse(body) as { id: string }).id.slice(-2));
    assert.deepEqual(sessions, ["01", "02"]);
    const second = await ask(dashboard.url, token, `ack=${first.answer.claim}`);
    assert.equal(second.answer.messages.length, 1);
    const third = await ask(dashboard.url, token, `ack=${second.answer.claim}`);
    assert.deepEqual(third.answer, { claim: null, claim_ends_at: null, messages: [] });
    assert.deepEqual(
      (await listLog(dashboard, destinationId)).map(({ state, last, attemptsMade }) => [
        state,
        last?.outcome,
        attemptsMade,
      ]),
      Array.from({ length: 3 }, () => ["delivered", "pulled", 1]),
    );
  });

  test("what it gives back comes again at once, and a claim that has ended settles nothing", async () => {
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    await postMany(dashboard, 1);
    const first = await ask(dashboard.url, token);
    const again = await ask(dashboard.url, token, `nack=${first.answer.claim}`);
    assert.deepEqual(idsOf(again), idsOf(first));
    for (const claim of [first.answer.claim, "nonsense", `${again.answer.claim}0`]) {
      const lost = await ask(dashboard.url, token, `ack=${claim}`);
      assert.deepEqual([lost.status, lost.problem.code], [409, "pull_claim_lost"]);
    }
    assert.deepEqual((await ask(dashboard.url, token, `ack=${again.answer.claim}`)).answer.messages, []);
  });

  test("nothing while its account is suspended, and what it acknowledges then is not handed out again", async () => {
    const { dashboard, token, destinationId } = await startAsked();
    await using _ = dashboard;
    await postMany(dashboard, 1);
    const { answer } = await ask(dashboard.url, token);
    toValue(await setAccountState(dashboard.app.accounts, { accountId, state: "suspended", by }));
    const refused = await ask(dashboard.url, token, `ack=${answer.claim}`);
    assert.deepEqual([refused.status, refused.problem.code], [403, "account_suspended"]);
    assert.deepEqual(
      (await listLog(dashboard, destinationId)).map(({ state }) => state),
      ["delivered"],
    );
  });

  test("the body that its owner wrote, and what cannot be made has failed at once", async () => {
    const { dashboard, token, destinationId, id } = await startAsked();
    await using _ = dashboard;
    const { accounts } = dashboard.app;
    const save = async (template: string, revision: number): Promise<void> => {
      const webhook = makeWebhookForm({ url: PULL_URL, body: "template", template });
      const settings = { name: "Mine", events: "all" } as const;
      toValue(await saveWebhook(accounts, { accountId, existing: { id, revision }, settings, webhook, by }));
    };
    await save('{"who": "{{id}}"}', 1);
    await dashboard.postSession(1);
    const asked = await ask(dashboard.url, token);
    const [message] = asked.answer.messages;
    assert.deepEqual(JSON.parse(message?.body ?? ""), { who: uuid(1) });
    const view = await accounts.accounts.loadAnew(accountId);
    const signature = signService(message?.body ?? "", view?.secrets.current.secret ?? "");
    assert.equal(message?.headers["x-service-signature"], signature);
    assert.equal((await ask(dashboard.url, token, `ack=${asked.answer.claim}`)).status, 200);
    await save(`{"long": [${Array.from({ length: 150 }, () => '"{{referers}}"').join(", ")}]}`, 2);
    await dashboard.postSession(2, {
      referers: Array.from({ length: 10 }, () => `https://example.com/${"x".repeat(400)}`),
    });
    assert.deepEqual((await ask(dashboard.url, token)).answer.messages, []);
    const [failed] = await listLog(dashboard, destinationId);
    assert.deepEqual([failed?.state, failed?.last?.outcome], ["failed", "body_error"]);
  });

  test("other webhooks get their deliveries as before, and the asked one costs them no request", async () => {
    await using receiver = await startReceiver();
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    await createAlert(dashboard.app.accounts, { accountId, url: receiver.url });
    await postMany(dashboard, 2);
    await receiver.received(2);
    assert.equal((await ask(dashboard.url, token)).answer.messages.length, 2);
    assert.equal(receiver.requests.length, 2);
  });
});

describe("a wait", () => {
  test("ends at once when this node accepts an event, and with its time otherwise", async () => {
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    const startedMs = performance.now();
    assert.deepEqual((await ask(dashboard.url, token, "wait=1")).answer.messages, []);
    assert.ok(performance.now() - startedMs >= 1_000);
    const waiting = ask(dashboard.url, token, "wait=20").then((answer) => ({ answer, atMs: performance.now() }));
    await isWaiting(dashboard);
    await dashboard.postSession(1);
    const acceptedAtMs = performance.now();
    const { answer, atMs } = await waiting;
    assert.equal(answer.answer.messages.length, 1);
    assert.ok(atMs - acceptedAtMs < 250, `${atMs - acceptedAtMs} ms after the 202`);
  });

  test("ends when a person turns the webhook on, and with 401 when it is deleted", async () => {
    const { dashboard, token, destinationId, id } = await startAsked();
    await using _ = dashboard;
    const { accounts } = dashboard.app;
    const change = { accountId, destinationId, by, reason: "" };
    await setDestinationState(accounts, { ...change, state: "paused" });
    await dashboard.postSession(1);
    assert.deepEqual((await ask(dashboard.url, token)).answer.messages, []);
    const waiting = ask(dashboard.url, token, "wait=20");
    await isWaiting(dashboard);
    await setDestinationState(accounts, { ...change, state: "on" });
    assert.equal((await waiting).answer.messages.length, 1);
    await noneWaits(dashboard);
    const other = ask(dashboard.url, token, "wait=2");
    await isWaiting(dashboard);
    await deleteWebhook(accounts, { accountId, id, revision: 1, by });
    assert.equal((await other).status, 401);
  });

  test("brings nothing by a token that was replaced meanwhile", async () => {
    const { dashboard, token, destinationId } = await startAsked();
    await using _ = dashboard;
    const waiting = ask(dashboard.url, token, "wait=20");
    await isWaiting(dashboard);
    const another = toValue(await makePullToken(dashboard.app.accounts, { accountId, destinationId, by }));
    await dashboard.postSession(1);
    const refused = await waiting;
    assert.deepEqual([refused.status, refused.problem.code], [401, "pull_token_unknown"]);
    assert.equal((await ask(dashboard.url, another.token)).answer.messages.length, 1);
  });

  test("of a program that has left holds nothing, and a node that stops ends all of them", async () => {
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const left = fetch(`${dashboard.url}/pull?wait=20`, { headers, signal: leaving.signal }).catch(() => "left");
    await isWaiting(dashboard);
    leaving.abort();
    assert.equal(await left, "left");
    await eventually("the wait has ended", async () => waitsOf(dashboard) === 0);
    await dashboard.postSession(1);
    assert.equal((await ask(dashboard.url, token, "hold=1")).answer.messages.length, 1);
    const waiting = ask(dashboard.url, token, "wait=20");
    await isWaiting(dashboard);
    const startedMs = performance.now();
    await dashboard.stop();
    await waiting;
    assert.ok(performance.now() - startedMs < 5_000);
  });
});

describe("what a token may ask", () => {
  test("is in the document while a webhook is asked, and its example and its answers keep the schema", async () => {
    await using dashboard = await startDashboard();
    const read = async () => (await (await fetch(`${dashboard.url}/openapi.json`)).json()) as Document;
    assert.ok(!JSON.stringify(await read()).includes("pull"));
    const { token } = await createPulled(dashboard.app.accounts, { accountId });
    await eventually("the document has it", async () => "/pull" in (await read()).paths);
    const document = await read();
    const { valid, errors } = await new Validator().validate(
      document as unknown as Parameters<Validator["validate"]>[0],
    );
    assert.equal(valid, true, JSON.stringify(errors));
    const { parameters, responses } = document.paths["/pull"]?.get ?? assert.fail();
    const { schema, examples } = responses["200"]?.content["application/json"] ?? assert.fail();
    const check = addFormats(new Ajv2020({ strict: false, allErrors: true })).compile(schema);
    const keeps = (value: unknown): void => assert.ok(check(value), JSON.stringify(check.errors));
    keeps(examples.answer.value);
    await postMany(dashboard, 1);
    const given = parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, `${example}`]]));
    const asked = await ask(dashboard.url, token, new URLSearchParams(given).toString());
    assert.deepEqual([given.length, asked.answer.messages.length], [3, 1]);
    keeps(asked.answer);
    keeps((await ask(dashboard.url, token)).answer);
  });
});

describe("who may ask, and what", () => {
  test("an unknown token is 401, and the address is not there where no webhook is asked", async () => {
    await using dashboard = await startDashboard();
    const { url } = dashboard;
    for (let n = 0; n < 25; n += 1) {
      const refused = await ask(url, [null, "nonsense", `bwp_${"A".repeat(43)}`][n % 3] ?? null);
      assert.deepEqual([refused.status, refused.problem.code], [404, "not_found"]);
    }
    const { token, destinationId } = await createPulled(dashboard.app.accounts, { accountId });
    await eventually("the node knows", async () => (await ask(url, "nonsense")).status === 401);
    for (const wrong of [null, "nonsense", `bwp_${"A".repeat(43)}`]) {
      const refused = await ask(url, wrong);
      assert.deepEqual([refused.status, refused.problem.code], [401, "pull_token_unknown"]);
      assert.match(refused.headers.get("www-authenticate") ?? "", /^Bearer /);
    }
    assert.equal((await ask(url, token)).status, 200);
    await makePullToken(dashboard.app.accounts, { accountId, destinationId, by });
    assert.equal((await ask(url, token)).status, 401, "another has replaced it");
    assert.equal((await fetch(`${url}/pull?token=${token}`)).status, 401, "a token in the address opens nothing");
    const head = await fetch(`${url}/pull`, { method: "HEAD", headers: { authorization: `Bearer ${token}` } });
    assert.equal(head.status, 404);
  });

  test("the addresses of forwarding say what has replaced it", async () => {
    await using dashboard = await startDashboard();
    const calls = [
      ["GET", "/forward.mjs"],
      ["POST", "/dashboard/forward"],
      ["GET", "/dashboard/forward/deliveries?from=0"],
      ["DELETE", "/dashboard/forward"],
    ] as const;
    for (const [method, path] of calls) {
      const answer = await fetch(`${dashboard.url}${path}`, { method });
      assert.equal(answer.status, 410, path);
      assert.match(((await answer.json()) as { detail: string }).detail, /bellwire pull --url http/);
    }
  });

  test("wrong tokens are slowed down, and a right one is let in all the same", async () => {
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    const statuses: number[] = [];
    for (let n = 0; n < 21; n += 1) statuses.push((await ask(dashboard.url, "wrong")).status);
    assert.deepEqual([statuses[19], statuses[20]], [401, 429]);
    assert.equal((await ask(dashboard.url, token)).status, 200);
  });

  test("each parameter that cannot be used is named, with what would be right", async () => {
    const { dashboard, token } = await startAsked();
    await using _ = dashboard;
    const cases: readonly (readonly [query: string, paths: readonly string[]])[] = [
      ["limit=0", ["limit"]],
      ["limit=501&wait=26&hold=901", ["limit", "wait", "hold"]],
      ["wait=1.5", ["wait"]],
      ["hold=", ["hold"]],
      ["cursor=1", ["cursor"]],
      ["limit=1&limit=2", ["limit"]],
      ["ack=a&nack=b", ["nack"]],
    ];
    for (const [query, paths] of cases) {
      const refused = await ask(dashboard.url, token, query);
      assert.equal(refused.status, 400, query);
      assert.deepEqual(
        refused.problem.errors?.map(({ path }) => path),
        paths,
        query,
      );
    }
  });
});
