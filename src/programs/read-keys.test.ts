/** Read keys as programs meet them: none in a default installation, made, used, limited, taken back; a long walk. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeReadKey, takeBackReadKey } from "../accounts/read-keys.ts";
import { LIMITS } from "../domain/limits.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import { shareCluster } from "../../test/kit/servers/postgres.ts";
import { API_KEY, createTestApp } from "../../test/kit/world/app-under-test.ts";
import { createAlert } from "../../test/kit/world/alerts.ts";
import { signIn } from "../../test/kit/world/signed-in.ts";
import { createVirtualClock } from "../../test/kit/world/virtual-clock.ts";
import { toValue, uuid } from "../../test/kit/world/world.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { readRoutes } from "./routes.ts";

const BY = { person: "ada@example.com", role: "owner" } as const;
const ACCOUNT = { name: "acme", plan: "growth", app_url: "https://app.example.com" };
const addresses = readRoutes.map(([name]) => name.replace(/^GET /, "").replace(/:\w+/g, "acme"));

async function openService(env: Readonly<Record<string, string>> = {}) {
  const clock = createVirtualClock();
  const service = await createTestApp(env, { clock });
  await service.put("/v1/accounts/acme", ACCOUNT);
  const get = (url: string, key?: string) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return service.app.server.inject({ method: "GET", url, headers });
  };
  const make = async (accountId: string | null = "acme") =>
    toValue(await makeReadKey(service.app.accounts, { accountId, name: "desk", by: BY }));
  return { ...service, clock, get, make };
}

describe("without any read key", () => {
  test("each address answers what an unknown one does, but for accounts and the intake key", async () => {
    await using service = await openService();
    const { detail: words, ...expected } = (await service.get("/v1/nothing")).json();
    for (const url of addresses) {
      for (const key of [undefined, "wrong", `bwr_${"x".repeat(43)}`]) {
        const answer = await service.get(url, key);
        const { detail, ...rest } = answer.json();
        assert.deepEqual([answer.statusCode, rest], [404, expected]);
        assert.equal(detail, words.replace("/v1/nothing", url));
        assert.equal(answer.headers["www-authenticate"], undefined);
      }
    }
    const byIntake = await Promise.all(addresses.map(async (url) => (await service.get(url, API_KEY)).statusCode));
    assert.deepEqual(byIntake, [200, 200, 404, 404, 404, 404, 404]);
  });

  test("no served document has a word of them, and with the first key one has all", async () => {
    await using service = await openService();
    const paths = () => ["/openapi.json", "/asyncapi.json"].map(async (url) => (await service.get(url)).body);
    for (const text of await Promise.all(paths())) {
      const word = /read[-_ ]?key|\}\/deliveries|\}\/webhooks"|getEvent|listAccounts|too_many_reads|mcp/i.exec(text);
      assert.equal(word, null);
    }
    const made = await service.post("/v1/read-keys", { name: "operator" });
    assert.equal(made.statusCode, 201);
    const { paths: described } = (await service.get("/openapi.json")).json();
    for (const [name] of readRoutes) {
      assert.ok(described[name.replace(/^GET /, "").replace(/:(\w+)/g, "{$1}")].get, name);
    }
    assert.ok(described["/v1/read-keys"].post);
    assert.equal((await service.get(addresses[2] ?? "")).statusCode, 401);
    await service.call({ method: "DELETE", url: `/v1/read-keys/${made.json().id}` });
    await service.clock.advance(secondsMs(2));
    assert.equal((await service.get(addresses[2] ?? "")).statusCode, 404);
  });

  test("a store that is away makes no address known", async () => {
    await using service = await openService();
    service.app.store.countReadKeys = () => Promise.reject(new StoreUnavailable("gone"));
    assert.equal((await service.get("/v1/accounts/acme/deliveries")).statusCode, 404);
  });
});

describe("a key", () => {
  test("notes its last use once a minute, and no call waits for that", async () => {
    await using service = await openService();
    const { key } = await service.make();
    const { store } = service.app;
    const noted: number[] = [];
    const note = store.noteReadKeyUse;
    store.noteReadKeyUse = (params) => {
      noted.push(params.nowMs);
      // Never answered: a call that waited for it would not end.
      return note(params).then(() => new Promise(() => {}));
    };
    const startMs = service.clock.nowMs();
    const read = async () => assert.equal((await service.get("/v1/accounts/acme/webhooks", key)).statusCode, 200);
    await read();
    await read();
    await service.clock.advance(minutesMs(1) - 1);
    await read();
    await service.clock.advance(1);
    await read();
    assert.deepEqual(noted, [startMs, startMs + minutesMs(1)]);
    const [listed] = await store.listReadKeys({ accountId: "acme" });
    assert.equal(listed?.usedAtMs, startMs + minutesMs(1));
  });

  test("that was taken back opens nothing from the next call on", async () => {
    await using service = await openService();
    const [one, other] = [await service.make(), await service.make()];
    const status = async (key: string) => (await service.get("/v1/accounts/acme/webhooks", key)).statusCode;
    assert.equal(await status(one.key), 200);
    toValue(await takeBackReadKey(service.app.accounts, { accountId: "acme", id: one.id, by: BY }));
    assert.deepEqual([await status(one.key), await status(other.key)], [401, 200]);
  });

  test("is kept as a hash alone", async () => {
    await using service = await openService();
    const { key } = await service.make();
    const audit = await service.app.store.listAudit({ accountId: "acme", before: null, limit: 5 });
    const kept = JSON.stringify([await service.app.store.listReadKeys({ accountId: "acme" }), audit]);
    assert.ok(!kept.includes(key) && !kept.includes(key.slice(4)));
  });

  test("makes so many calls a second, and a loop of one leaves the others alone", async () => {
    await using service = await openService();
    const [loop, other] = [await service.make(), await service.make()];
    const read = (key: string) => service.get("/v1/accounts/acme/webhooks", key);
    for (let n = 0; n < LIMITS.readCallsPerSecondMax; n += 1) assert.equal((await read(loop.key)).statusCode, 200);
    const refused = await read(loop.key);
    assert.deepEqual([refused.statusCode, refused.json().code], [429, "too_many_reads"]);
    assert.equal(refused.headers["retry-after"], "1");
    assert.equal((await read(other.key)).statusCode, 200);
    await service.clock.advance(secondsMs(1));
    assert.equal((await read(loop.key)).statusCode, 200);
  });

  test("has so many calls under way, and may go on when one has ended", async () => {
    await using service = await openService();
    const { key } = await service.make();
    const waiting = Promise.withResolvers<void>();
    const { store } = service.app;
    const load = store.loadDestinations;
    store.loadDestinations = async (params) => waiting.promise.then(() => load(params));
    const read = () => service.get("/v1/accounts/acme/webhooks", key);
    const running = Array.from({ length: LIMITS.readCallsAtOnceMax + 1 }, read);
    assert.equal((await Promise.race(running)).statusCode, 429);
    waiting.resolve();
    const refused = (await Promise.all(running)).filter(({ statusCode }) => statusCode !== 200);
    assert.deepEqual(
      refused.map(({ statusCode }) => statusCode),
      [429],
    );
    assert.equal((await read()).statusCode, 200);
  });

  test("takes its turn with others: one read runs at a time, so that a post waits for one at most", async () => {
    await using service = await openService();
    const keys = [await service.make(), await service.make()];
    const { store } = service.app;
    const load = store.loadDestinations;
    let running = 0;
    let most = 0;
    store.loadDestinations = async (params) => {
      most = Math.max(most, (running += 1));
      const found = await load(params);
      running -= 1;
      return found;
    };
    const reads = keys.flatMap(({ key }) => [1, 2, 3].map(() => service.get("/v1/accounts/acme/webhooks", key)));
    const statuses = (await Promise.all(reads)).map(({ statusCode }) => statusCode);
    assert.deepEqual([new Set(statuses), most], [new Set([200]), 1]);
  });

  test("that is guessed is counted by address, and a right one is let in all the same", async () => {
    await using service = await openService();
    const { key } = await service.make();
    const url = "/v1/accounts/acme/webhooks";
    const codes = [];
    for (let n = 0; n < 22; n += 1) codes.push((await service.get(url, `bwr_${"x".repeat(43)}`)).json().code);
    assert.deepEqual([codes[0], codes.at(-1)], ["unauthorized", "too_many_bad_keys"]);
    assert.equal((await service.get(url, key)).statusCode, 200);
  });
});

describe("the intake key's holder", () => {
  test("makes keys of an account and of all, lists them without the keys, and takes them back", async () => {
    await using service = await openService();
    for (const url of ["/v1/accounts/acme/read-keys", "/v1/read-keys"]) {
      const { id, key, name } = (await service.post(url, { name: " desk " })).json();
      assert.match(key, /^bwr_[\w-]{43}$/);
      const listed = await service.call({ method: "GET", url });
      const created_at = new Date(service.clock.nowMs()).toISOString();
      const expected = { id, name, made_by: "intake key", created_at, last_used_at: null };
      assert.deepEqual(listed.json(), { keys: [expected] });
      const remove = async () => (await service.call({ method: "DELETE", url: `${url}/${id}` })).statusCode;
      assert.deepEqual([await remove(), await remove()], [204, 404]);
    }
  });

  test("is told what is wrong with a name, an account and too many", async () => {
    await using service = await openService();
    const url = "/v1/accounts/acme/read-keys";
    for (const body of [{}, { name: "" }, { name: "a\nb" }, { name: "x".repeat(81) }, { name: "a", more: 1 }]) {
      assert.equal((await service.post(url, body)).statusCode, 422, JSON.stringify(body));
    }
    assert.equal((await service.post("/v1/accounts/none/read-keys", { name: "a" })).json().code, "account_not_found");
    for (let n = 0; n < LIMITS.readKeysMax; n += 1)
      assert.equal((await service.post(url, { name: "a" })).statusCode, 201);
    assert.equal((await service.post(url, { name: "a" })).json().code, "read_key_limit_reached");
  });
});

test("an owner's key of the account is shown once, and an owner takes it back", async () => {
  await using service = await openService();
  const ana = await signIn(service.app, { accountId: "acme" });
  const { answer } = await ana.call("POST /read-keys", { body: { name: "support desk" } });
  const { key, list } = answer as { key: string; list: { keys: { id: string; name: string; madeBy: string }[] } };
  const [listed] = list.keys;
  assert.deepEqual([listed?.name, listed?.madeBy], ["support desk", "ana@example.com"]);
  assert.equal((await service.get("/v1/accounts/acme", key)).statusCode, 200);
  assert.ok(!(await ana.call("GET /read-keys")).text.includes(key));
  const gone = await ana.call("DELETE /read-keys/:id", { params: { id: listed?.id ?? "" } });
  assert.deepEqual((gone.answer as { keys: unknown[] }).keys, []);
  assert.equal((await service.get("/v1/accounts/acme", key)).statusCode, 404, "it was the only one");
});

const STORES = { sqlite: () => Promise.resolve(null), postgres: async () => await shareCluster() } as const;

for (const [store, start] of Object.entries(STORES)) {
  test(`a program walks all pages of deliveries and of accounts, each row once: ${store}`, async () => {
    await using cluster = await start();
    const database = cluster === null ? {} : { BELLWIRE_DATABASE: await cluster.createStoreDatabase() };
    const address = { BELLWIRE_PUBLIC_URL: "https://hooks.example.com/in", BELLWIRE_EGRESS_ALLOW: "127.0.0.0/8" };
    await using service = await createTestApp({ ...database, ...address });
    const ids = Array.from({ length: 120 }, (_, n) => `acc.${n}:x`);
    for (const id of ids) await service.put(`/v1/accounts/${id}`, ACCOUNT);
    const accountId = ids[0] ?? "";
    const { destinationId } = await createAlert(service.app.accounts, { accountId, url: "http://127.0.0.1:9/in" });
    const paused = { accountId, destinationId, state: "paused", reason: "", by: BY, nowMs: Date.now() } as const;
    await service.app.store.setDestinationState(paused);
    service.app.accounts.accounts.forget(accountId);
    const lines = Array.from({ length: 350 }, (_, n) => JSON.stringify(toRecord(n))).join("\n");
    const type = { "content-type": "application/x-ndjson" };
    const posted = await service.post(`/v1/accounts/${accountId}/demo-sessions`, lines, type);
    assert.equal(posted.statusCode, 200, posted.body);
    const { key } = (await service.post("/v1/read-keys", { name: "all" })).json();
    const walk = async (first: string, list: "deliveries" | "accounts") => {
      const seen: { id: string; created_at: string }[] = [];
      for (let next: string | null = first; next !== null;) {
        const url: string = next.replace("https://hooks.example.com/in", "");
        const answer: Answer = await service.app.server.inject({ url, headers: { authorization: `Bearer ${key}` } });
        assert.equal(answer.statusCode, 200, answer.body);
        seen.push(...answer.json()[list]);
        ({ next } = answer.json());
      }
      return seen;
    };
    const deliveries = await walk(`/v1/accounts/${accountId}/deliveries?status=waiting`, "deliveries");
    assert.equal(new Set(deliveries.map(({ id }) => id)).size, 350);
    assert.equal(deliveries.length, 350);
    assert.deepEqual(
      deliveries.map(({ created_at: at }) => at),
      deliveries
        .map(({ created_at: at }) => at)
        .toSorted()
        .toReversed(),
    );
    const accounts = await walk("/v1/accounts", "accounts");
    assert.deepEqual(
      accounts.map(({ id }) => id),
      ids.toSorted(),
    );
    const account = accounts.find(({ id }) => id === accountId);
    assert.partialDeepStrictEqual(account, { webhooks: 1, waiting: { count: 350, is_capped: false } });
  });
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof createTestApp>>["app"]["server"]["inject"]>>;

const toRecord = (n: number) => ({ ...demoViewed.example, id: uuid(n) });
