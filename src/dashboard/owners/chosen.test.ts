import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAlertForm } from "../../../test/kit/make.ts";
import {
  ANA,
  type Answers,
  ASSISTANT,
  BEN,
  createAnswers,
  OTHER_ACCOUNT,
  toProblem,
} from "../../../test/kit/world/answers.ts";
import { createAlert, createPulled, createWebhook, giveWebhook } from "../../../test/kit/world/alerts.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import { ACCOUNT, session, toValue } from "../../../test/kit/world/world.ts";
import type { Owner } from "../../domain/event.ts";
import { StoreUnavailable } from "../../store/contract/store.ts";
import type { ChosenStep } from "../contract/chosen.ts";

const accountId = ACCOUNT;
const OLD = "http://127.0.0.1:9";
const SECRET = { name: "Authorization", value: "Bearer c4nary-value", secret: true } as const;

/** An alert, an assistant's webhook and one of its own, the first two with a secret header. */
async function setUp(answers: Answers, url = OLD) {
  const { accounts } = answers.app;
  const alert = await createAlert(accounts, { accountId, url: `${url}/alert?a=1`, name: "Leads", headers: [SECRET] });
  const assistantId = ASSISTANT;
  await giveWebhook(accounts, { accountId, assistantId, url: `${url}/chat`, headers: [SECRET] });
  const own = await createWebhook(accounts, { accountId, url: `${url}/own`, name: "CRM" });
  const owners: readonly Owner[] = [
    { kind: "alert", id: alert.id },
    { kind: "assistant", id: ASSISTANT },
    { kind: "webhook", id: own },
  ];
  return { owners };
}

const take = async (answers: Answers, owners: readonly Owner[], change: ChosenStep) =>
  toValue(await answers.call("POST /chosen-webhooks", { body: { owners: [...owners], change } })).results;

const refusals = async (...call: Parameters<typeof take>) => (await take(...call)).map(({ refusal }) => refusal);

const DONE = [null, null, null];

async function list(answers: Answers) {
  const { destinations } = toValue(await answers.call("GET /destinations"));
  const byKind = new Map(destinations.map((each) => [each.owner.kind, each]));
  return (["alert", "assistant", "webhook"] as const).flatMap((kind) => byKind.get(kind) ?? []);
}

const audit = async (answers: Answers) =>
  toValue(await answers.call("GET /audit")).entries.map(({ action, subject }) => `${action}: ${subject}`);

describe("one step for many webhooks", () => {
  test("pauses, turns on and deletes them, whoever owns them, each as by itself", async () => {
    await using answers = await createAnswers();
    const { owners } = await setUp(answers);
    assert.deepEqual(await refusals(answers, owners, { step: "pause" }), DONE);
    assert.deepEqual(
      (await list(answers)).map(({ state }) => state),
      ["paused", "paused", "paused"],
    );
    const [first, second, third] = await audit(answers);
    assert.deepEqual(
      [first, second, third],
      ["Paused a webhook: CRM", "Paused a webhook: Website assistant", "Paused a webhook: Leads"],
    );
    assert.deepEqual(await refusals(answers, owners, { step: "turn_on", backlog: "cancel" }), DONE);
    assert.deepEqual(
      (await list(answers)).map(({ state }) => state),
      ["on", "on", "on"],
    );
    assert.deepEqual(await refusals(answers, [...owners, ...owners], { step: "delete" }), DONE);
    assert.deepEqual(await list(answers), []);
    assert.deepEqual(toValue(await answers.call("GET /alerts")).alerts, []);
    assert.equal(toValue(await answers.call("GET /assistants")).assistants.length, 1, "the assistant is the product's");
    const again = await refusals(answers, owners, { step: "delete" });
    assert.match(again.join("\n"), /alert no longer exists.*\n.*no Webhook URL.*\n.*webhook no longer exists/);
  });

  test("cancels or sends what waits where it turns on", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    const { owners } = await setUp(answers, receiver.url);
    for (const backlog of ["cancel", "send"] as const) {
      await take(answers, owners, { step: "pause" });
      toValue(await answers.accept(session(backlog === "send" ? 2 : 1)));
      await take(answers, owners, { step: "turn_on", backlog });
      await answers.run();
      assert.equal(receiver.requests.length, backlog === "send" ? 2 : 0, "the alert's and the webhook's");
    }
  });

  test("goes on where one is refused, and says of each why", async () => {
    await using answers = await createAnswers({ plan: "free" as "starter" });
    const { accounts } = answers.app;
    const own = await createWebhook(accounts, { accountId, url: `${OLD}/own` });
    const { id: pulled } = await createPulled(accounts, { accountId });
    const owners: readonly Owner[] = [
      { kind: "webhook", id: "whk_gone" },
      { kind: "assistant", id: ASSISTANT },
      { kind: "assistant", id: "nobody" },
      { kind: "webhook", id: pulled },
      { kind: "webhook", id: own },
    ];
    const results = await take(answers, owners, { step: "move", origin: "http://127.0.0.2:9", secrets: {} });
    assert.deepEqual(
      results.map(({ id }) => id),
      owners.map(({ id }) => id),
    );
    assert.match(
      results.map(({ refusal }) => refusal ?? "done").join("\n"),
      /no longer exists.*\n.*no Webhook URL.*\n.*no chat assistant "nobody".*\n.*program asks.*\ndone$/s,
    );
  });

  test("says what was done before the store was out of reach, and what was not tried", async () => {
    await using answers = await createAnswers();
    const { owners } = await setUp(answers);
    const { store } = answers.app;
    const setState = store.setDestinationState.bind(store);
    let calls = 0;
    Object.assign(store, {
      setDestinationState: async (params: Parameters<typeof setState>[0]) => {
        calls += 1;
        if (calls === 2) throw new StoreUnavailable("away");
        return await setState(params);
      },
    });
    const [first, second, third] = await refusals(answers, owners, { step: "pause" });
    assert.equal(first, null);
    assert.match(second ?? "", /look whether this one is changed/);
    assert.match(third ?? "", /was not tried/);
    assert.deepEqual(
      (await list(answers)).map(({ state }) => state),
      ["paused", "on", "on"],
    );
  });

  test("reaches no webhook of another account", async () => {
    await using answers = await createAnswers();
    const { owners } = await setUp(answers);
    const body = { owners: [...owners], change: { step: "delete" as const } };
    const { results } = toValue(
      await answers.call("POST /chosen-webhooks", { body }, { accountId: OTHER_ACCOUNT, by: BEN }),
    );
    assert.ok(results.every(({ refusal }) => refusal !== null));
    assert.equal((await list(answers)).length, 3);
  });
});

describe("another host", () => {
  test("keeps paths, conditions and other settings; secrets go along only as they are entered again", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    const { owners } = await setUp(answers);
    const before = toValue(await answers.call("GET /alerts/:id", { params: { id: owners[0]?.id ?? "" } }));
    const origin = receiver.url;
    const withheld = await refusals(answers, owners, { step: "move", origin, secrets: {} });
    assert.match(withheld[0] ?? "", /Authorization must be entered again, because the Webhook URL leads to another/);
    assert.deepEqual([withheld[1] === null, withheld[2]], [false, null]);
    const rest = owners.slice(0, 2);
    const secrets = { authorization: "Bearer new" };
    assert.deepEqual(await refusals(answers, rest, { step: "move", origin: `${origin}/`, secrets }), [null, null]);
    assert.deepEqual(
      (await list(answers)).map(({ url }) => url),
      [`${origin}/alert?a=1`, `${origin}/chat`, `${origin}/own`],
    );
    const after = toValue(await answers.call("GET /alerts/:id", { params: { id: owners[0]?.id ?? "" } }));
    assert.deepEqual(
      [after.audience, after.demos, after.conditions, after.webhooksOn, after.changed?.by],
      [before.audience, before.demos, before.conditions, before.webhooksOn, ANA.person],
    );
    toValue(await answers.accept(session(1)));
    await answers.run();
    const sent = receiver.requests.map(({ headers, path }) => [path, headers["authorization"]]);
    assert.deepEqual(
      new Map(sent as [string, string | undefined][]),
      new Map([
        ["/alert?a=1", "Bearer new"],
        ["/own", undefined],
      ]),
    );
  });

  test("is refused with what would be right", async () => {
    await using answers = await createAnswers();
    const { owners } = await setUp(answers);
    const CASES: Readonly<Record<string, RegExp>> = {
      [`${OLD}/in`]: /origin has a path; write http:\/\/127\.0\.0\.1:9, because each webhook keeps its own/,
      [OLD]: /goes to http:\/\/127\.0\.0\.1:9 already/,
      "hooks.example.com": /The new host does not say how to call it; write https:\/\/hooks\.example\.com/,
      "http://10.0.0.1": /private|not.*allowed|Ask the people/i,
    };
    for (const [origin, words] of Object.entries(CASES)) {
      const [, , refusal] = await refusals(answers, owners, { step: "move", origin, secrets: {} });
      assert.match(refusal ?? "", words, origin);
    }
  });

  test("is shown before: hosts and secret headers, counted, and no value; one is tested there first", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers();
    const { owners } = await setUp(answers);
    const { id: pulled } = await createPulled(answers.app.accounts, { accountId });
    const all: Owner[] = [...owners, { kind: "webhook", id: pulled }];
    const hosts = toValue(await answers.call("POST /chosen-webhooks/hosts", { body: { owners: all } }));
    assert.deepEqual(hosts, {
      hosts: [{ name: OLD, count: 3 }],
      secretHeaders: [{ name: "Authorization", count: 2 }],
      authenticated: 0,
      withoutUrl: 1,
    });
    const owner = owners[0] ?? assert.fail();
    const tryMove = async (secrets: Record<string, string>) =>
      await answers.call("POST /chosen-webhooks/move-test", {
        body: { owner, move: { step: "move", origin: receiver.url, secrets } },
      });
    assert.match(JSON.stringify(toProblem(await tryMove({}))), /must be entered again/);
    assert.equal(receiver.requests.length, 0);
    const { outcome, request } = toValue(await tryMove({ Authorization: "Bearer new" }));
    assert.deepEqual([outcome.class, new URL(request.url).pathname], ["success", "/alert"]);
    assert.equal(receiver.requests[0]?.headers["authorization"], "Bearer new");
    assert.ok(
      (await list(answers)).every(({ url }) => !url.startsWith(receiver.url)),
      "nothing is moved by a test",
    );
  });
});

test("a header is set, or takes the place of one of its name, and the others keep their secrets", async () => {
  await using answers = await createAnswers();
  const { owners } = await setUp(answers);
  const header = { name: "authorization", value: "Bearer rotated", secret: true };
  assert.deepEqual(await refusals(answers, owners, { step: "header", header }), DONE);
  const plain = { name: "X-Team", value: "revops", secret: false };
  assert.deepEqual(await refusals(answers, owners, { step: "header", header: plain }), DONE);
  const view = await answers.app.accounts.accounts.loadAnew(accountId);
  const saved = [...(view?.destinations.values() ?? [])].map(({ headers }) => headers.map(({ value }) => value));
  assert.deepEqual(saved, [
    ["Bearer rotated", "revops"],
    ["Bearer rotated", "revops"],
    ["Bearer rotated", "revops"],
  ]);
  const [refusal] = await refusals(answers, owners, { step: "header", header: { ...plain, name: "Host" } });
  assert.match(refusal ?? "", /Host/);
});

test("an alert without a URL is deleted, and has nothing to pause or to tag; tags are listed", async () => {
  await using answers = await createAnswers();
  const { owners } = await setUp(answers);
  const bare = makeAlertForm({ name: "Bare", webhook: null });
  const { id } = toValue(await answers.call("POST /alerts", { body: bare }));
  const all: Owner[] = [...owners, { kind: "alert", id }];
  const tagged = await refusals(answers, all, { step: "tag", tag: " eu ", isOn: true });
  assert.deepEqual(tagged, [...DONE, "It has no Webhook URL yet."]);
  const tags = async () => (await list(answers)).map((each) => each.tags);
  assert.deepEqual(await tags(), [["eu"], ["eu"], ["eu"]]);
  await take(answers, owners.slice(1), { step: "tag", tag: "eu", isOn: false });
  assert.deepEqual(await tags(), [["eu"], [], []]);
  assert.deepEqual(await refusals(answers, [{ kind: "alert", id }], { step: "delete" }), [null]);
  assert.ok(!JSON.stringify(await list(answers)).includes("c4nary"));
});

test("a tag is one of a webhook’s settings: kept by others’ saves, sorted, each once, ten at most", async () => {
  await using answers = await createAnswers();
  const { owners } = await setUp(answers);
  const [owner = assert.fail()] = owners;
  const tag = async (name: string) => await refusals(answers, [owner], { step: "tag", tag: name, isOn: true });
  for (const name of ["eu", "crm", "eu"]) assert.deepEqual(await tag(name), [null]);
  assert.deepEqual((await list(answers)).map(({ tags }) => tags)[0], ["crm", "eu"]);
  await refusals(answers, [owner], { step: "header", header: { name: "X-Team", value: "revops", secret: false } });
  assert.deepEqual((await list(answers)).map(({ tags }) => tags)[0], ["crm", "eu"]);
  for (let n = 3; n <= 10; n += 1) assert.deepEqual(await tag(`tag ${n}`), [null]);
  assert.deepEqual(await tag("one more"), ["It has 10 tags, and a webhook has no more."]);
});
