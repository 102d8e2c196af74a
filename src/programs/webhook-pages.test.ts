/** The list of an account's webhooks in pages, and the agent's tool that looks through all of them. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { makeReadKey } from "../accounts/read-keys.ts";
import { deleteAlert } from "../accounts/save-alert.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { createAlert, type SavedAlert } from "../../test/kit/world/alerts.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { ADA, session, toValue } from "../../test/kit/world/world.ts";
import { accept } from "../delivery/accept.ts";
import { bearer } from "./callers.kit.ts";
import { TOOLS } from "./tools.ts";

const PAGE = 50;
const WEBHOOKS = 2 * PAGE + 1;

let stack: AsyncDisposableStack;
let app: Awaited<ReturnType<typeof createTestApp>>["app"];
/** In the order of the list. */
let alerts: readonly (SavedAlert & { readonly demo: string })[];
let headers: ReturnType<typeof bearer>;
/** What the store was asked to report and to count, by the verb. */
const asked: (readonly [verb: string, destinations: number | undefined])[] = [];

before(async () => {
  await using building = new AsyncDisposableStack();
  const receiver = building.use(await startReceiver({ status: 503 }));
  const service = building.use(await createTestApp({ BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" }));
  ({ app } = service);
  await service.put("/v1/accounts/acme", { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const made = [];
  for (let n = 0; n < WEBHOOKS; n += 1) {
    const demo = `Demo ${n}`;
    made.push({ demo, ...(await createAlert(app.accounts, { accountId: "acme", url: receiver.url, demos: [demo] })) });
  }
  alerts = made.toSorted((one, other) => (one.destinationId < other.destinationId ? -1 : 1));
  headers = bearer(toValue(await makeReadKey(app.accounts, { accountId: "acme", name: "tests", by: ADA })).key);
  const { loadDestinations, countAttempts } = app.store;
  app.store.loadDestinations = (params) => {
    asked.push(["report", params.destinationIds?.length]);
    return loadDestinations(params);
  };
  app.store.countAttempts = (params) => {
    asked.push(["count", params.destinationIds?.length]);
    return countAttempts(params);
  };
  stack = building.move();
});
after(() => stack.disposeAsync());
beforeEach(() => {
  asked.length = 0;
});

interface Page {
  readonly webhooks: readonly { readonly id: string }[];
  readonly next: string | null;
}

const get = async (url: string) => await app.server.inject({ method: "GET", url, headers });
const readPage = async (url: string): Promise<Page> => (await get(url)).json();
const FIRST = "/v1/accounts/acme/webhooks";

async function readPages(): Promise<readonly (readonly string[])[]> {
  const pages = [];
  for (let url: string | null = FIRST; url !== null;) {
    const { webhooks, next }: Page = await readPage(url);
    pages.push(webhooks.map(({ id }) => id));
    url = next === null ? null : next.slice(next.indexOf("/v1/"));
  }
  return pages;
}

test("each webhook is on one page, in the order of the ids, and the last page has no next", async () => {
  const pages = await readPages();
  assert.deepEqual(
    pages.map(({ length }) => length),
    [PAGE, PAGE, 1],
  );
  assert.deepEqual(
    pages.flat(),
    alerts.map(({ destinationId }) => destinationId),
  );
});

test("a page asks the store for its own webhooks alone", async () => {
  await readPage(FIRST);
  assert.deepEqual(asked, [
    ["report", PAGE],
    ["count", PAGE],
  ]);
});

test("a page goes on where the one before ended, also when a webhook is deleted meanwhile", async () => {
  const next = (await readPage(FIRST)).next ?? assert.fail();
  const [gone = assert.fail(), then] = alerts.slice(PAGE);
  assert.ok(next.endsWith(`?cursor=${gone.destinationId}`), next);
  toValue(await deleteAlert(app.accounts, { accountId: "acme", id: gone.id, revision: gone.revision, by: ADA }));
  const { webhooks } = await readPage(next.slice(next.indexOf("/v1/")));
  assert.equal(webhooks[0]?.id, then?.destinationId);
  assert.deepEqual((await readPage(`${FIRST}?cursor=zzz`)).webhooks, []);
});

for (const [query, path] of [
  ["cursor=", "cursor"],
  ["cursor=a%2Fb", "cursor"],
  ["limit=5", "limit"],
] as const) {
  test(`refuses ${query}, and names the part`, async () => {
    const answer = await get(`${FIRST}?${query}`);
    const { code, errors } = answer.json();
    assert.deepEqual([answer.statusCode, code, errors[0].path], [400, "invalid_parameter", path]);
  });
}

test("an agent is told of a failing webhook on the last page, which has a turn of its own", async () => {
  const last = alerts.at(-1) ?? assert.fail();
  const sent = [1, 2, 3].map((n) => session(n, { name: last.demo }));
  toValue(await accept({ ctx: app.delivery, engine: app.engine }, "acme", sent));
  await app.engine.lanes.load.idle();
  let turns = 0;
  const tool = TOOLS["list_failing_webhooks"] ?? assert.fail();
  const agent = {
    ctx: { accounts: app.accounts, delivery: app.delivery },
    accountId: "acme",
    inTurn: <Value>(_: string | null, read: () => Promise<Value>) => ((turns += 1), read()),
    manages: null,
  };
  const told = JSON.stringify(await tool.call(agent, {}));
  assert.match(told, new RegExp(`Unsteady, failing or off: 1 of ${WEBHOOKS - 1}. Shown: 1`));
  assert.ok(told.includes(last.destinationId), told);
  assert.equal(turns, 2);
});
