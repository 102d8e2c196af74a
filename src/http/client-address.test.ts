/** Client addresses behind proxies: whom the limits count, and what audit and access log say. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, test } from "node:test";
import type { AuditAnswer } from "../dashboard/contract/session.ts";
import { createClientAddress, trustProxies } from "./client-address.ts";
import { createLog } from "../observe/log.ts";
import { createTestApp } from "../../test/kit/world/app-under-test.ts";
import { signIn } from "../../test/kit/world/signed-in.ts";

const TRIES = 20;

async function guess(app: Awaited<ReturnType<typeof createTestApp>>, from: string, remoteAddress: string) {
  const answer = await app.app.server.inject({
    method: "POST",
    url: "/v1/accounts/acme/demo-sessions",
    headers: { authorization: "Bearer wrong", "x-forwarded-for": from, "content-type": "application/json" },
    remoteAddress,
    payload: "{}",
  });
  return answer.statusCode;
}

test("one address has one spelling, with or without a port, and so has a trusted proxy", () => {
  const trust = trustProxies(["10.0.0.0/8", "2001:db8:1::/48"]);
  const read = (peer: string, forwarded: string): string =>
    createClientAddress(trust)({
      headers: { "x-forwarded-for": forwarded },
      socket: { remoteAddress: peer },
    } as unknown as IncomingMessage);
  for (const [client, spellings] of [
    ["192.0.2.7", ["192.0.2.7:5000", "::ffff:192.0.2.7", "::FFFF:c000:0207", "[::ffff:192.0.2.7]:80"]],
    ["2001:db8::7", ["2001:DB8:0:0::7", "[2001:db8::7]:443", "2001:db8:0:0:0:0:0:7%eth0", "[2001:0DB8::0007]"]],
  ] as const) {
    for (const spelling of [client, ...spellings]) {
      assert.equal(read("10.0.0.1", spelling), client, spelling);
      for (const proxy of ["10.0.0.2:5000", "::ffff:10.0.0.2", "[::ffff:a00:2]:80", "[2001:DB8:1::2]:80"])
        assert.equal(read("::ffff:10.0.0.1", `${spelling}, ${proxy}`), client, `${spelling}, ${proxy}`);
    }
  }
  assert.equal(read("::ffff:192.0.2.9", "192.0.2.7"), "192.0.2.9", "a peer that nobody trusts");
});

describe("the limit of wrong keys", () => {
  test("counts each client behind a trusted proxy by itself", async () => {
    await using app = await createTestApp({ BELLWIRE_TRUSTED_PROXIES: "192.0.2.0/24" });
    for (let tries = 0; tries < TRIES; tries += 1) await guess(app, "203.0.113.7", "192.0.2.1");
    assert.equal(await guess(app, "203.0.113.7", "192.0.2.1"), 429);
    assert.equal(await guess(app, "203.0.113.8", "192.0.2.1"), 401);
    // What the client itself wrote stands before what the proxy added.
    assert.equal(await guess(app, "198.51.100.1, 203.0.113.7", "192.0.2.1"), 429);
  });

  test("counts what is no address for the proxy that passed it on, and leaves a port away", async () => {
    await using app = await createTestApp({ BELLWIRE_TRUSTED_PROXIES: "192.0.2.0/24" });
    const tell = async (from: (tries: number) => string): Promise<number> => {
      for (let tries = 0; tries < TRIES; tries += 1) await guess(app, from(tries), "192.0.2.1");
      return await guess(app, from(TRIES), "192.0.2.1");
    };
    assert.equal(await tell((tries) => `203.0.113.7:${5000 + tries}`), 429);
    assert.equal(await guess(app, "203.0.113.7", "192.0.2.1"), 429);
    assert.equal(await tell((tries) => `[2001:db8::7]:${5000 + tries}`), 429);
    assert.equal(await tell((tries) => `"203.0.113.77:${5000 + tries}"`), 429);
    assert.equal(await tell((tries) => `2001:db8::8%made-up-${tries}`), 429);
    assert.equal(await tell((tries) => `made-up-${tries}`), 429);
    assert.equal(await tell((tries) => `made-up-${tries}, 192.0.2.9`), 429);
  });

  test("believes nobody else", async () => {
    for (const proxies of ["", "192.0.2.0/24"]) {
      await using app = await createTestApp({ BELLWIRE_TRUSTED_PROXIES: proxies });
      for (let tries = 0; tries < TRIES; tries += 1) await guess(app, `203.0.113.${tries}`, "198.51.100.9");
      assert.equal(await guess(app, "203.0.113.99", "198.51.100.9"), 429);
    }
  });
});

test("the audit names each client behind a trusted proxy", async () => {
  await using app = await createTestApp({ BELLWIRE_TRUSTED_PROXIES: "127.0.0.0/8" });
  await app.put("/v1/accounts/acme", { name: "Acme", plan: "growth", app_url: "https://app.example.com" });
  const person = await signIn(app.app, { accountId: "acme" });
  const headers = { "x-forwarded-for": "203.0.113.7" };
  const shown = await person.call("POST /verification/reveal", { headers, body: { which: "current" } });
  assert.equal(shown.status, 200, shown.text);
  const { entries } = (await person.call("GET /audit")).answer as AuditAnswer;
  const told = entries.map(({ action, address }) => [action, address]);
  assert.deepEqual(told, [
    ["Revealed the verification secret", "203.0.113.7"],
    ["Signed in", "127.0.0.1"],
  ]);
});

describe("the access log", () => {
  const LINK = `/sign-in/${"t".repeat(43)}`;
  async function linesOf(env: Readonly<Record<string, string>>, path = LINK): Promise<Record<string, unknown>[]> {
    const lines: string[] = [];
    const log = createLog("info", { write: (line: string) => void lines.push(line) });
    await using app = await createTestApp(env, { log });
    await app.app.start();
    const { port } = app.app.server.server.address() as { port: number };
    const url = `http://127.0.0.1:${port}${path}?q=jane`;
    await (await fetch(url, { headers: { "x-forwarded-for": "203.0.113.7" } })).text();
    await app.app.stop();
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === "request");
  }

  test("has a line for each answer, with the client's address and without tokens and queries", async () => {
    const [line, ...more] = await linesOf({ BELLWIRE_ACCESS_LOG: "1", BELLWIRE_TRUSTED_PROXIES: "127.0.0.0/8" });
    assert.deepEqual(more, []);
    const { address, method, path, status } = line ?? {};
    assert.deepEqual(
      { address, method, path, status },
      { address: "203.0.113.7", method: "GET", path: "/sign-in/…", status: 200 },
    );
  });

  test("has no token either that people have copied with what stands around it", async () => {
    const paths = [`${LINK}.`, `${LINK})`, `${LINK}x`, `${LINK}%22`, LINK.replace("tt", "%74t"), `/x;${LINK.slice(9)}`];
    for (const each of paths) {
      const [line] = await linesOf({ BELLWIRE_ACCESS_LOG: "1" }, each);
      assert.doesNotMatch(String(line?.["path"]), /tttt/, each);
    }
  });

  test("is off unless asked for", async () => {
    assert.deepEqual(await linesOf({}), []);
  });
});
