import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeAlertForm, makeWebhookForm } from "../../../test/kit/make.ts";
import { ACCOUNT, session, toValue } from "../../../test/kit/world/world.ts";
import {
  type Answers,
  ANA,
  BEN,
  OTHER_ACCOUNT,
  createAnswers,
  listPaths,
  toProblem,
} from "../../../test/kit/world/answers.ts";
import { startReceiver } from "../../../test/kit/servers/receiver.ts";
import type { AlertForm } from "../contract/alerts.ts";
import type { HeaderForm } from "../contract/destinations.ts";

const CANARY = "Bearer c4nary-value";
const SECRET: HeaderForm = { name: "Authorization", value: CANARY, secret: true };
const KEPT: HeaderForm = { ...SECRET, value: null };
const PLAIN: HeaderForm = { name: "X-Team", value: "revops", secret: false };

function form(
  url: string,
  changes: Partial<AlertForm> = {},
  headers: readonly HeaderForm[] = [SECRET, PLAIN],
): AlertForm {
  return makeAlertForm({ webhook: makeWebhookForm({ url, headers }), ...changes });
}

const create = async (answers: Answers, url: string) =>
  toValue(await answers.call("POST /alerts", { body: form(url) }));

test("an alert is saved, listed and shown, and its secret value is in no answer", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const saved = await create(answers, `${receiver.url}/in`);
  const list = toValue(await answers.call("GET /alerts"));
  const detail = toValue(await answers.call("GET /alerts/:id", { params: { id: saved.id } }));
  assert.equal(saved.revision, 1);
  assert.deepEqual(
    list.alerts.map(({ name, destination }) => [name, destination?.url, destination?.health.word]),
    [["Everyone", `${receiver.url}/in`, "no_deliveries"]],
  );
  assert.deepEqual(detail.webhook?.headers, [{ name: "Authorization", value: null, secret: true }, PLAIN]);
  assert.equal(detail.changed?.by, ANA.person);
  assert.doesNotMatch(JSON.stringify([saved, list, detail]), /c4nary/);
});

test("the saved secret value is sent although the form has it no more, also after a save", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const { id } = await create(answers, `${receiver.url}/in`);
  const body = form(`${receiver.url}/elsewhere`, { name: "Renamed" }, [KEPT]);
  const again = toValue(await answers.call("PUT /alerts/:id", { params: { id }, body, ifMatch: 1 }));
  assert.deepEqual(again, { id, revision: 2 });
  toValue(await answers.accept(session(1)));
  await answers.run();
  const [request] = receiver.requests;
  assert.equal(request?.path, "/elsewhere");
  assert.equal(request?.headers["authorization"], CANARY);
});

test("another origin asks for the secret value again, at Save and at Test, and nothing is sent there", async () => {
  await using receiver = await startReceiver();
  await using thief = await startReceiver();
  await using answers = await createAnswers();
  const { id } = await create(answers, `${receiver.url}/in`);
  const body = form(`${thief.url}/in`, {}, [PLAIN, KEPT]);
  const saved = await answers.call("PUT /alerts/:id", { params: { id }, body, ifMatch: 1 });
  const webhook = body.webhook ?? assert.fail();
  const tested = await answers.call("POST /alerts/:id/test", { params: { id }, body: { webhook } });
  for (const refused of [saved, tested]) {
    assert.equal(toProblem(refused).code, "invalid_custom_headers");
    assert.deepEqual(listPaths(refused), ["webhook.headers[1].value"]);
    assert.match(toProblem(refused).errors?.[0]?.message ?? "", /entered again/);
  }
  assert.equal(thief.requests.length, 0);
});

test("of two people who edit one alert the second is told who was first, and when", async () => {
  await using answers = await createAnswers();
  const { id } = await create(answers, "http://127.0.0.1:9/in");
  const put = (name: string, by: typeof ANA | typeof BEN) =>
    answers.call("PUT /alerts/:id", { params: { id }, body: form("", { name, webhook: null }), ifMatch: 1 }, { by });
  toValue(await put("Ben's", BEN));
  const refused = toProblem(await put("Ana's", ANA));
  assert.equal(refused.code, "edited_meanwhile");
  assert.match(refused.detail, /^ben@example\.com changed this alert at \d\d:\d\d UTC on \d+ \w{3} \d{4}\./);
  const { name, revision } = toValue(await answers.call("GET /alerts/:id", { params: { id } }));
  assert.deepEqual([name, revision], ["Ben's", 2]);
});

test("everything that is wrong with a form is told at once, by its field", async () => {
  await using answers = await createAnswers();
  const webhook = makeWebhookForm({
    url: "ftp://example.com",
    headers: [
      { name: "Host", value: "a", secret: false },
      { name: "X-A", value: "line\nbreak", secret: false },
      { name: "x-a", value: "1", secret: false },
    ],
    ratePerSecond: 0,
  });
  const refused = await answers.call("POST /alerts", { body: form("", { webhook }) });
  assert.deepEqual(listPaths(refused), [
    "webhook.url",
    "webhook.headers[0].name",
    "webhook.headers[1].value",
    "webhook.headers[2].name",
    "webhook.ratePerSecond",
  ]);
});

test("an address that may not be called is refused at Save with the operator's setting", async () => {
  await using answers = await createAnswers();
  const refused = await answers.call("POST /alerts", { body: form("http://10.0.0.5/in") });
  assert.deepEqual(listPaths(refused), ["webhook.url"]);
  assert.match(toProblem(refused).errors?.[0]?.message ?? "", /Ask the people who run this service to allow it\.$/);
});

describe("on the free plan", () => {
  test("webhooks can be neither saved nor tested, and the reason names the plan", async () => {
    await using receiver = await startReceiver();
    await using answers = await createAnswers({ plan: "free" });
    const body = form(`${receiver.url}/in`);
    const webhook = body.webhook ?? assert.fail();
    const refusals = [
      await answers.call("POST /alerts", { body }),
      await answers.call("POST /alerts", { body: form("", { webhook: null }) }),
      await answers.call("POST /alerts/:id/test", { params: { id: "new" }, body: { webhook } }),
    ];
    for (const refused of refusals) {
      assert.equal(toProblem(refused).code, "plan_too_low");
      assert.match(toProblem(refused).detail, /Starter/);
    }
    assert.equal(receiver.requests.length, 0);
  });

  test("what was set up before stays, and is shown", async () => {
    await using answers = await createAnswers();
    const { id } = await create(answers, "http://127.0.0.1:9/in");
    await answers.put(ACCOUNT, "free");
    const { webhook, webhooksOn } = toValue(await answers.call("GET /alerts/:id", { params: { id } }));
    assert.deepEqual([webhooksOn, webhook?.url], [true, "http://127.0.0.1:9/in"]);
  });

  test("such an alert can be renamed and switched off, but not on again", async () => {
    await using answers = await createAnswers();
    const { id } = await create(answers, "http://127.0.0.1:9/in");
    await answers.put(ACCOUNT, "free");
    const put = (changes: Partial<AlertForm>, ifMatch: number) =>
      answers.call("PUT /alerts/:id", { params: { id }, body: form("", { webhook: null, ...changes }), ifMatch });
    toValue(await put({ name: "Renamed" }, 1));
    toValue(await put({ webhooksOn: false }, 2));
    assert.equal(toProblem(await put({ webhooksOn: true }, 3)).code, "plan_too_low");
  });
});

test("a deleted alert is gone, what waits for it is cancelled, and the log keeps its name", async () => {
  await using receiver = await startReceiver();
  await using answers = await createAnswers();
  const { id } = await create(answers, `${receiver.url}/in`);
  const { destination } = toValue(await answers.call("GET /alerts/:id", { params: { id } }));
  const params = { id: destination?.id ?? "" };
  toValue(await answers.call("PUT /destinations/:id/state", { params, body: { state: "paused" } }));
  toValue(await answers.accept(session(1), session(2)));
  const stale = await answers.call("DELETE /alerts/:id", { params: { id }, ifMatch: 7 });
  assert.equal(toProblem(stale).code, "edited_meanwhile");

  assert.equal(toValue(await answers.call("DELETE /alerts/:id", { params: { id }, ifMatch: 1 })), null);
  assert.equal(toProblem(await answers.call("GET /alerts/:id", { params: { id } })).code, "alert_not_found");
  const { deliveries } = toValue(await answers.call("GET /deliveries"));
  assert.deepEqual(
    deliveries.map(({ status, destination: shown }) => [status, shown?.owner.name, shown?.owner.isDeleted]),
    [
      ["cancelled", "Everyone", true],
      ["cancelled", "Everyone", true],
    ],
  );
  const resent = await answers.call("POST /deliveries/:id/resend", { params: { id: deliveries[0]?.id ?? "" } });
  assert.match(toProblem(resent).detail, /nowhere to send/);
  await answers.run();
  assert.equal(receiver.requests.length, 0);
});

test("suggestions are what the account's sessions had", async () => {
  await using answers = await createAnswers();
  const records = [
    session(1, { name: "B" }),
    session(2, { name: "A", intent_level: "low" }),
    session(3, { name: "B" }),
  ];
  toValue(await answers.accept(...records));
  const { demos, intentLevels } = toValue(await answers.call("GET /alerts/suggestions"));
  assert.deepEqual({ demos, intentLevels }, { demos: ["A", "B"], intentLevels: ["high", "low"] });
});

test("another account's alert is not found, whatever is asked of it", async () => {
  await using answers = await createAnswers();
  const { id } = await create(answers, "http://127.0.0.1:9/in");
  const who = { accountId: OTHER_ACCOUNT };
  const body = form("http://127.0.0.1:9/in", {}, []);
  const webhook = body.webhook ?? assert.fail();
  const params = { id };
  const refusals = [
    await answers.call("GET /alerts/:id", { params }, who),
    await answers.call("PUT /alerts/:id", { params, body, ifMatch: 1 }, who),
    await answers.call("DELETE /alerts/:id", { params, ifMatch: 1 }, who),
    await answers.call("POST /alerts/:id/test", { params, body: { webhook } }, who),
  ];
  for (const refused of refusals) assert.equal(toProblem(refused).code, "alert_not_found");
  assert.deepEqual(toValue(await answers.call("GET /alerts", {}, who)), { alerts: [] });
});
