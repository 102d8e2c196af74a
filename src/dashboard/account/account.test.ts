/** The activity, looked through by person, by what was done to it, and by kind; its pages lose nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answers, BEN, createAnswers, listPaths } from "../../../test/kit/world/answers.ts";
import { ACCOUNT, toValue } from "../../../test/kit/world/world.ts";

type Query = Readonly<Record<string, string>>;

const ask = async (answers: Answers, query: Query = {}) => toValue(await answers.call("GET /audit", { query }));

async function* walk(answers: Answers, query: Query) {
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await ask(answers, { ...query, ...(cursor !== "" && { cursor }) });
    yield page.entries;
    cursor = page.nextCursor;
  }
}

/** Ana's 3,000 sign-ins, and every thousandth entry is Ben's. */
async function setUp(): Promise<Answers> {
  const answers = await createAnswers();
  const { store } = answers.app;
  const entry = { accountId: ACCOUNT, nowMs: 1, subject: "" };
  const ana = { person: "ana@example.com", role: "owner", address: "192.0.2.7" } as const;
  for (let n = 0; n < 3_000; n += 1) {
    if (n % 1_000 === 0) await store.writeAudit({ ...entry, by: BEN, action: "alert_changed", subject: `CRM ${n}` });
    await store.writeAudit({ ...entry, by: ana, action: "signed_in" });
  }
  return answers;
}

test("the activity is found by a person, an address, what it was done to, and a kind, page by page", async () => {
  await using answers = await setUp();
  const everything = await Array.fromAsync(walk(answers, {}));
  assert.ok(everything.slice(0, -1).every(({ length }) => length === 50));
  assert.equal(everything.flat().length, 3_003);
  const bens = ["CRM 2000", "CRM 1000", "CRM 0"];
  for (const query of [{ q: "BEN@" }, { q: "crm " }, { kind: "setup" }, { q: "ben", kind: "setup" }]) {
    const pages = await Array.fromAsync(walk(answers, query));
    assert.deepEqual(
      pages.flat().map(({ subject }) => subject),
      bens,
      JSON.stringify(query),
    );
    assert.ok(pages.length > 1, "a page looks at so many and no more");
  }
  const found = await Array.fromAsync(walk(answers, { q: "192.0.2.7", kind: "people" }));
  assert.equal(found.flat().length, 3_000);
  assert.deepEqual((await Array.fromAsync(walk(answers, { q: "nobody" }))).flat(), []);
  assert.deepEqual(listPaths(await answers.call("GET /audit", { query: { kind: "other" } })), ["kind"]);
});
