/**
 * Every call that the OpenAPI document tells programs of, when all of them are open: what it takes and what it answers
 * has an example, the example keeps its schema, and so does what the service answers to it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { createPulled } from "../../test/kit/world/alerts.ts";
import { API_KEY, type Call, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { demoViewed } from "../events/demo-viewed.ts";

const addFormats = formats as unknown as typeof formats.default;
const ACCOUNT = "acme";

interface Content {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly example?: string | number }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

interface Listed extends Operation {
  readonly method: Call["method"];
  readonly path: string;
}

let service: Awaited<ReturnType<typeof createTestApp>>;
let tokens: Readonly<Record<string, string>> = {};
let ids: Record<string, string> = {};
let operations: readonly Listed[] = [];

const get = async (url: string, token = API_KEY) =>
  (await service.call({ method: "GET", url, headers: { authorization: `Bearer ${token}` } })).json();

before(async () => {
  service = await createTestApp();
  const account = { name: "Acme", plan: "growth", app_url: "https://app.example.com" };
  await service.put(`/v1/accounts/${ACCOUNT}`, account);
  const { token } = await createPulled(service.app.accounts, { accountId: ACCOUNT });
  const { event_id: event = "" } = (
    await service.post(`/v1/accounts/${ACCOUNT}/demo-sessions`, demoViewed.example)
  ).json();
  const ofAccount = (await service.post(`/v1/accounts/${ACCOUNT}/read-keys`, { name: "one" })).json();
  const ofAll = (await service.post("/v1/read-keys", { name: "all" })).json();
  tokens = { intakeKey: API_KEY, readKey: ofAll.key, pullToken: token, ofAccount: ofAccount.key };
  const { deliveries } = await get(`/v1/accounts/${ACCOUNT}/deliveries`, ofAll.key);
  ids = { account_id: ACCOUNT, assistant_id: "bot-1", delivery_id: deliveries[0].id, event, email: "jane@example.com" };
  ids["confirm"] = ACCOUNT;
  const { paths } = await get("/openapi.json");
  operations = Object.entries<Readonly<Record<string, Operation>>>(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, each]) => ({ ...each, path, method: method.toUpperCase() as Call["method"] })),
  );
});
after(() => service.app.stop());

const isOpenToAll = ({ security }: Operation): boolean => security?.length === 0;

/** What ends others' ids goes last, and the account at the very end. */
const RANK: Readonly<Record<string, number>> = { DELETE: 1, deleteAccount: 2 };
const rank = ({ method, operationId }: Listed): number => RANK[operationId] ?? RANK[method] ?? 0;

test("each has an example that keeps its schema, and is answered as it says", async () => {
  const called = operations.filter((each) => !isOpenToAll(each)).toSorted((one, other) => rank(one) - rank(other));
  assert.ok(called.length > 25);
  for (const each of called) await run(each);
});

async function run(listed: Listed): Promise<void> {
  const { operationId, method, security = [{ intakeKey: [] }], parameters = [], requestBody, responses } = listed;
  const [type = "", taken] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const [example] = Object.values(taken?.examples ?? {});
  assert.ok(requestBody === undefined || example !== undefined, `${operationId} takes a body without an example`);
  const scheme = Object.keys(security[0] ?? {})[0] ?? "";
  const token = operationId === "askAsAgent" ? tokens["ofAccount"] : tokens[scheme];
  if (operationId.startsWith("takeBackReadKey")) ids["key_id"] = await findKey(listed.path);
  const url = addressOf(listed, parameters);
  const headers = { authorization: `Bearer ${token}`, ...(type !== "" && { "content-type": type }) };
  const answer = await service.call({
    method,
    url,
    headers,
    ...(example !== undefined && {
      body: typeof example.value === "string" ? example.value : JSON.stringify(example.value),
    }),
  });
  const answered = responses[String(answer.statusCode)];
  assert.ok(answer.statusCode < 300 && answered !== undefined, `${operationId}: ${answer.statusCode} ${answer.body}`);
  const content = answered.content?.["application/json"];
  if (content === undefined) return assert.equal(answer.body, "", operationId);
  const check = addFormats(new Ajv2020({ strict: false, allErrors: true })).compile(content.schema);
  const keeps = (value: unknown): void =>
    assert.ok(check(value), `${operationId}: ${JSON.stringify(check.errors)} ${JSON.stringify(value)}`);
  keeps(answer.json());
  const [shown] = Object.values(content.examples ?? {});
  assert.ok(shown !== undefined, `${operationId} answers ${answer.statusCode} without an example`);
  keeps(shown.value);
}

async function findKey(path: string): Promise<string> {
  const list = path.replace("/{key_id}", "").replace("{account_id}", ACCOUNT);
  const { keys } = await get(list);
  return keys.at(-1).id;
}

function addressOf({ path }: Listed, parameters: NonNullable<Operation["parameters"]>): string {
  const query = parameters.flatMap(({ in: where, name, example = ids[name] }) =>
    where === "query" && example !== undefined ? [[name, String(example)]] : [],
  );
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? assert.fail(`no ${name}`));
  return `${address}?${new URLSearchParams(query).toString()}`.replace(/\?$/, "");
}
