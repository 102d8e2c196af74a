/** The address of a channel against every spelling that has bypassed a guard: the corpus of Webhook URLs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import corpus from "../egress/corpus.json" with { type: "json" };
import { type Zone, dnsError, scriptedDns, toResolver } from "../../test/kit/servers/scripted-dns.ts";
import { ACCOUNT, ADA, createWorld } from "../../test/kit/world/world.ts";
import { createAddressPolicy } from "../egress/address-policy.ts";
import { createEgressGuard } from "../egress/guard.ts";
import { addNewsChannel } from "./news-channels.ts";

interface Entry {
  readonly input: string;
  readonly expected: string;
  readonly answers?: readonly string[];
  readonly fails?: string;
}

const ENTRIES: readonly Entry[] = corpus;
const PUBLIC = ["example.com", "127.0.0.1.example.com", "localhost.example.com"];

function toZone(): Zone {
  const all: Record<string, Zone[string]> = {};
  for (const name of PUBLIC) all[name] = ["93.184.216.34"];
  for (const { input, answers, fails } of ENTRIES) {
    if (answers !== undefined) all[new URL(input).hostname] = answers;
    if (fails !== undefined) all[new URL(input).hostname] = () => Promise.reject(dnsError(fails));
  }
  return all;
}

test("a channel takes an address of the corpus when a webhook does, and no other", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const policy = createAddressPolicy({ allow: [], ownAddresses: () => [] });
  const { checkUrl } = createEgressGuard({ policy, resolver: toResolver(scriptedDns(toZone())) });
  const wrong: string[] = [];
  for (const { input: url, expected } of ENTRIES) {
    const wanted = { accountId: ACCOUNT, kind: "slack", name: "Ops", url, by: ADA } as const;
    const added = await addNewsChannel({ ...world.accounts, checkUrl }, wanted);
    if (added.ok !== (expected !== "refused")) wrong.push(`${url}: ${JSON.stringify(added)}`);
    const channelId = added.ok ? added.value : "";
    await world.store.removeRecipient({
      accountId: ACCOUNT,
      recipientId: channelId,
      by: ADA,
      nowMs: world.clock.nowMs(),
    });
  }
  assert.deepEqual(wrong, []);
});

test("a mistake in the address is told of the address, as the page calls it", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const told = async (url: string): Promise<string | undefined> => {
    const wanted = { accountId: ACCOUNT, kind: "slack", name: "Ops", url, by: ADA } as const;
    const added = await addNewsChannel({ ...world.accounts, checkUrl: () => Promise.resolve(null) }, wanted);
    assert.ok(!added.ok, url);
    return added.error.errors?.[0]?.message;
  };
  assert.equal(await told(""), "The address is empty; write one such as https://ops.example.com/bellwire");
  assert.equal(
    await told("ftp://hooks.example.com"),
    'The address starts with "ftp:"; only https: and http: can be called',
  );
  assert.equal(
    await told("https://ada:pass@hooks.example.com/x"),
    "The address has a user name or password in it; remove it",
  );
});
