/**
 * The whole way of a declared type, for schemas made at random and records made from them: intake takes what JSON
 * Schema says (by Ajv), the webhook has the record with `event` behind it, with its digits and in its order, its
 * signature is right, and search finds the words that are declared. `BELLWIRE_FUZZ_RUNS` tries more.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeWebhookForm } from "../../test/kit/make.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { API_KEY } from "../../test/kit/world/app-under-test.ts";
import { createAnswers } from "../../test/kit/world/answers.ts";
import { ACCOUNT, toValue } from "../../test/kit/world/world.ts";
import { parsePhrases } from "../domain/search-words.ts";
import { toDeclaration } from "../events/declared/declared.kit.ts";
import { isTakenByAjv, schemaCases } from "../events/declared/schemas.kit.ts";
import { createEventTypes } from "../events/event-types.ts";
import type { SchemaObject } from "../events/schema/keywords.ts";

const SEED = Number(process.env["BELLWIRE_FUZZ_SEED"] ?? 20_261_126);
const RUNS = Number(process.env["BELLWIRE_FUZZ_RUNS"] ?? 120);
/** Types of one service. */
const TYPES_MAX = 150;

/** As a back end may write them. Exact and as a float each keeps the same side of every bound that is made here. */
const NUMBERS = ["12345678901234567890", "0.10", "1.50", "-0.0", "1e3", "100.0", "123456789.123456789"];

interface Case {
  readonly type: string;
  readonly schema: SchemaObject;
  readonly text: string;
  readonly word: string;
  readonly isRight: boolean;
}

const drawn = fc.tuple(schemaCases, fc.constantFrom(...NUMBERS), fc.nat({ max: 3 }), fc.boolean(), fc.nat());

function toCase([[given, record], number, indent, isFirst, order]: DrawnCase, index: number): Case {
  const type = `type.n${index}`;
  const schema = { ...given, properties: { ...given.properties, word: { type: "string" as const }, number: {} } };
  const word = `word${SEED}x${index}`;
  const own = { ...record, id: typeof record.id === "string" ? `key-${index}` : record.id, word: `The ${word}, twice` };
  const members = Object.entries(own)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)} : ${JSON.stringify(value, null, indent)}`);
  const turned = [...members.slice(order % members.length), ...members.slice(0, order % members.length)];
  const text = `{ ${(isFirst ? [`"number":${number}`, ...turned] : [...turned, `"number":${number}`]).join(" ,\n")} }`;
  return { type, schema, text, word, isRight: isTakenByAjv(schema, JSON.parse(text)) };
}

type DrawnCase = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

const toCompact = (text: string): string => text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");

async function sendAll(cases: readonly Case[]) {
  await using receiver = await startReceiver();
  const types = createEventTypes(
    cases.map(({ type, schema }) => toDeclaration({ type, schema, search: ["/word", "/number"] })),
  );
  await using answers = await createAnswers({ types });
  const webhook = makeWebhookForm({ url: receiver.url });
  toValue(await answers.call("POST /webhooks", { body: { name: "All", events: "all", webhook } }));
  const { secret } = toValue(await answers.call("POST /verification/reveal", { body: { which: "current" } }));
  const right = new Map<string, Case>();
  for (const each of cases) {
    const { statusCode, body } = await answers.app.server.inject({
      method: "POST",
      url: `/v1/accounts/${ACCOUNT}/events/${each.type}`,
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
      payload: each.text,
    });
    assert.equal(statusCode, each.isRight ? 202 : 422, `${body}\n${JSON.stringify(each)}`);
    if (each.isRight) right.set(each.type, each);
  }
  await answers.run();
  assert.equal(receiver.requests.length, right.size);
  for (const { headers, body } of receiver.requests) {
    const text = String(body);
    const { event } = JSON.parse(text) as { readonly event: string };
    const sent = right.get(event);
    assert.ok(sent !== undefined, event);
    assert.equal(text, `${toCompact(sent.text).slice(0, -1)},"event":"${event}"}`);
    assert.deepEqual(JSON.parse(text), { ...JSON.parse(sent.text), event });
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    assert.equal(headers["webhook-signature"], `v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    right.delete(event);
  }
  assert.equal(right.size, 0);
  await answers.index();
  await findAll(answers, cases);
  return receiver.requests.length;
}

/** Each event by its own word, and by its number as it was written. */
async function findAll({ app: { store } }: Awaited<ReturnType<typeof createAnswers>>, cases: readonly Case[]) {
  for (const { type, text, word, isRight } of cases) {
    const number = /"number":([^ \n]+)/.exec(text)?.[1] ?? "";
    for (const asked of [word, /^\d+$/.test(number) ? number : word]) {
      const phrases = parsePhrases(asked);
      const wanted = { accountId: ACCOUNT, type, phrases, before: null, limit: 10, nowMs: Date.now() };
      const { events } = await store.searchEvents(wanted);
      assert.equal(events.length, isRight ? 1 : 0, `${asked} in ${text}`);
    }
  }
}

describe("a declared type on its whole way", () => {
  // One of ten is right.
  const all = fc.sample(drawn, { seed: SEED, numRuns: 8 * RUNS }).map(toCase);
  const [right = [], wrong = []] = [true, false].map((isRight) => all.filter((each) => each.isRight === isRight));
  const cases = right.flatMap((each, index) => [each, ...wrong.slice(index, index + 1)]).slice(0, RUNS);
  for (let from = 0; from < cases.length; from += TYPES_MAX) {
    test(`is taken, sent, signed and found as its schema says, from case ${from} on, seed ${SEED}`, async () => {
      const some = cases.slice(from, from + TYPES_MAX);
      const sent = await sendAll(some);
      assert.ok(sent > some.length / 3 && sent < some.length, `${sent} of ${some.length} were taken`);
    });
  }
});
