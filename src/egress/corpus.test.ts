/**
 * The corpus: URLs in every spelling that has bypassed a guard, and names with answers that they should not have. Each
 * is checked at save, and the real sender connects to each as if save had not checked it. Meanwhile a canary listens on
 * every address of this machine. To add an entry, add a line to `corpus.json`.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, test } from "node:test";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { type Zone, dnsError, toResolver, scriptedDns } from "../../test/kit/servers/scripted-dns.ts";
import { requestTo, makeSender } from "../../test/kit/world/sender.ts";
import { systemClock } from "../lib/clock.ts";
import { createAddressPolicy, createOwnAddresses } from "./address-policy.ts";
import { createEgressGuard } from "./guard.ts";
import { parseWebhookUrl } from "./webhook-url.ts";

interface Entry {
  readonly input: string;
  readonly expected: "refused" | "allowed" | "refused at connect";
  readonly why: string;
  /** The name servers' answer for its name; without it, a public address for `example.com`. */
  readonly answers?: readonly string[];
  /** Their later answer, when the name is called. */
  readonly rebinds?: readonly string[];
  /** The code with which the look-up fails. */
  readonly fails?: string;
  /** Refused for its form alone: its target, if it has one, is public or does not exist. */
  readonly only?: "save";
}

const corpus = JSON.parse(readFileSync(new URL("corpus.json", import.meta.url), "utf8")) as Entry[];

/** Names in spellings are public here, so that a refusal can only come from the spelling. */
const PUBLIC_NAMES = ["example.com", "127.0.0.1.example.com", "localhost.example.com"];

function zoneAt(moment: "save" | "connect"): Zone {
  // Tests call no host on the network: a spelling that is taken for a public name ends as one that does not exist.
  const names = moment === "save" ? PUBLIC_NAMES : [];
  const zone = Object.fromEntries(names.map((name) => [name, ["93.184.216.34"]]));
  for (const { input, answers = [], rebinds, fails } of corpus) {
    if (fails !== undefined) Object.assign(zone, { [new URL(input).hostname]: () => Promise.reject(dnsError(fails)) });
    if (answers.length === 0) continue;
    Object.assign(zone, { [new URL(input).hostname]: moment === "connect" ? (rebinds ?? answers) : answers });
  }
  return zone;
}

/** The URL that is called without a check of its form; `null` when there is none, or when calling it does no harm. */
function calledUrl({ input, expected, only }: Entry): URL | null {
  const url = URL.parse(input.trim());
  if (only === "save" || expected === "allowed" || url === null || !/^https?:$/.test(url.protocol)) return null;
  return url;
}

/** One line for each entry with another result; empty when all is well. */
async function findWrong(check: (entry: Entry) => Promise<string | null>): Promise<string[]> {
  const wrong: string[] = [];
  for (const entry of corpus) {
    const found = await check(entry);
    if (found !== null) wrong.push(`${JSON.stringify(entry.input)} (${entry.why}): ${found}`);
  }
  return wrong;
}

const refusedIn = (kinds: readonly string[], kind: string) => (kinds.includes(kind) ? null : `met ${kind}`);

test("every entry is answered at save as it says", async () => {
  const policy = createAddressPolicy({ allow: [], ownAddresses: () => [] });
  const guard = createEgressGuard({ policy, resolver: toResolver(scriptedDns(zoneAt("save"))) });
  const wrong = await findWrong(async ({ input, expected }) => {
    const url = parseWebhookUrl(input);
    const refusal = url.ok ? await guard.checkUrl(url.value) : url.error;
    if (refusal === "") return "refused without a word";
    return (refusal === null) === (expected !== "refused") ? null : (refusal ?? "allowed");
  });
  assert.deepEqual(wrong, []);
});

test("every entry that is not allowed is refused by the real sender, whatever save has said", async () => {
  await using sender = makeSender({ allow: "", zone: zoneAt("connect") });
  let calls = 0;
  const wrong = await findWrong(async (entry) => {
    const url = calledUrl(entry);
    if (url === null) return null;
    calls += 1;
    const { outcome, address } = await sender.send(requestTo(url.href));
    if (address !== null) return `reached ${address}`;
    return refusedIn(entry.fails === undefined && isKnown(url) ? ["blocked"] : ["dns_error"], outcome.kind);
  });
  assert.deepEqual(wrong, []);
  assert.ok(calls >= 950, `${calls} calls`);
});

/** Other names do not exist. */
const isKnown = ({ hostname }: URL): boolean =>
  isIP(hostname.replace(/^\[|\]$/g, "")) !== 0 || /(?:(?:^|\.)localhost|\.test)\.?$/.test(hostname);

test("the corpus has at least a thousand entries, none twice, each with its reason", () => {
  const keys = corpus.map(({ input, answers, rebinds }) => JSON.stringify([input, answers, rebinds]));
  assert.equal(new Set(keys).size, corpus.length);
  assert.ok(corpus.length >= 1_000 && corpus.every(({ why }) => why.length > 0));
  assert.ok(corpus.filter(({ expected }) => expected === "allowed").length >= 50);
});

/** One listener on every address of this machine, IPv4 and IPv6. */
async function startCanary() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {}).resume();
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: 0, host: "::", ipv6Only: false }, resolve);
  });
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    connectionCount: () => connections,
    [Symbol.asyncDispose]: close,
  };
}

/** The addresses of this machine that others can reach. A link-local address would need a zone. */
const ownAddresses = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"))
  .map(({ address }) => address);

const inUrl = (address: string) => (address.includes(":") ? `[${address}]` : address);

describe("a canary on every address of this machine", () => {
  const own = createOwnAddresses(systemClock);

  test("hears of what the operator allows, so that its silence means something", async () => {
    await using canary = await startCanary();
    const addresses = ["127.0.0.1", "127.8.8.8", "::1", ...ownAddresses];
    await using sender = makeSender({ allow: addresses.join(" "), ownAddresses: own });
    for (const address of addresses) {
      const { outcome } = await sender.send(requestTo(`http://${inUrl(address)}:${canary.port}/`, { lane: address }));
      assert.equal(outcome.kind, "response", address);
    }
    assert.equal(canary.connectionCount(), addresses.length);
  });

  test("hears nothing while the whole corpus is sent to its port", async () => {
    await using canary = await startCanary();
    const zone = { ...zoneAt("connect"), "own.test": ownAddresses, "rebound-own.test": ["1.1.1.1", ...ownAddresses] };
    await using sender = makeSender({ allow: "", zone, ownAddresses: own });
    const literals = ownAddresses.map((address) => `http://${inUrl(address)}/`);
    const ownNames = ownAddresses.length === 0 ? [] : ["http://own.test/", "http://rebound-own.test/"];
    const urls = corpus.filter(({ why }) => !why.startsWith("port:")).map(calledUrl);
    let calls = 0;
    for (const url of [...urls, ...[...literals, ...ownNames].map((text) => new URL(text))]) {
      if (url === null) continue;
      url.port = `${canary.port}`;
      const { outcome } = await sender.send(requestTo(url.href));
      assert.ok(["blocked", "dns_error"].includes(outcome.kind), `${url.href} met ${outcome.kind}`);
      calls += 1;
    }
    assert.ok(calls >= 850, `${calls} calls`);
    assert.equal(canary.connectionCount(), 0);
  });

  test("hears nothing of redirects that lead to it", async () => {
    await using canary = await startCanary();
    await using receiver = await startReceiver();
    await using sender = makeSender({ allow: `127.0.0.1:${receiver.port}`, ownAddresses: own });
    for (const address of ["127.0.0.1", "::1", ...ownAddresses]) {
      for (const status of [301, 302, 303, 307, 308]) {
        const location = `http://${inUrl(address)}:${canary.port}/`;
        receiver.script = () => ({ status, headers: { location } });
        const { outcome } = await sender.send(requestTo(receiver.url));
        assert.equal(outcome.kind === "response" && outcome.response.status, status);
      }
    }
    assert.equal(canary.connectionCount(), 0);
  });
});
