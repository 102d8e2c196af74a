import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAlertSettings, makeWebhookForm } from "../../test/kit/make.ts";
import { settled } from "../../test/kit/world/virtual-clock.ts";
import { ADA, ACCOUNT, HOOK, createWorld, toValue } from "../../test/kit/world/world.ts";
import { createAddressPolicy } from "../egress/address-policy.ts";
import { createEgressGuard } from "../egress/guard.ts";
import { createResolver } from "../egress/resolver.ts";
import { createSealer } from "../lib/seal.ts";
import { systemRandom } from "../lib/random.ts";
import type { Store } from "../store/contract/store.ts";
import { createAccountCache } from "./account-cache.ts";
import { createDashboardLink } from "./dashboard-link.ts";
import { checkEncryptionKey } from "./encryption-check.ts";
import { saveAlert } from "./save-alert.ts";

const SECRET_HEADER = { name: "Authorization", value: "Bearer c4nary", secret: true };

test("secret header values and the verification secret are sealed in the store and open in the view", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  toValue(await world.setUpAlert({ webhook: makeWebhookForm({ url: HOOK, headers: [SECRET_HEADER] }) }));
  const view = await world.ctx.accounts.load(ACCOUNT);
  const stored = JSON.stringify(await world.store.loadAccount({ accountId: ACCOUNT }));
  assert.deepEqual(view?.alerts[0]?.destination?.headers, [SECRET_HEADER]);
  assert.match(view?.secrets.current.secret ?? "", /^whsec_/);
  assert.doesNotMatch(stored, /c4nary/);
  assert.ok(!stored.includes(view?.secrets.current.secret ?? ""), "the secret is not in the store as it is");
});

test("changing the URL keeps the destination, so that what waits for it goes to the new address", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const first = toValue(await world.setUpAlert());
  const before = (await world.ctx.accounts.load(ACCOUNT))?.alerts[0]?.destination;
  toValue(await world.setUpAlert({ existing: first, webhook: makeWebhookForm({ url: "https://new.example.com/" }) }));
  const after = (await world.ctx.accounts.load(ACCOUNT))?.alerts[0]?.destination;
  assert.equal(after?.id, before?.id);
  assert.equal(after?.url, "https://new.example.com/");
});

test("switching webhooks off keeps URL and headers", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const first = toValue(await world.setUpAlert({ webhook: makeWebhookForm({ url: HOOK, headers: [SECRET_HEADER] }) }));
  toValue(await world.setUpAlert({ existing: first, settings: { webhooksOn: false }, webhook: null }));
  const kept = (await world.ctx.accounts.load(ACCOUNT))?.alerts[0];
  assert.equal(kept?.alert.webhooksOn, false);
  assert.deepEqual([kept?.destination?.url, kept?.destination?.headers], [HOOK, [SECRET_HEADER]]);
});

test("of two people who edit one alert the second is told, and overwrites nothing", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const seenByBoth = toValue(await world.setUpAlert());
  toValue(await world.setUpAlert({ existing: seenByBoth, settings: { name: "First" } }));
  const second = await world.setUpAlert({ existing: seenByBoth, settings: { name: "Second" } });
  assert.equal(second.ok ? "" : second.error.code, "edited_meanwhile");
  assert.equal((await world.ctx.accounts.load(ACCOUNT))?.alerts[0]?.alert.name, "First");
});

test("an account has at most 500 alerts", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const draft = { accountId: ACCOUNT, existing: null, webhook: null, by: ADA };
  const settings = makeAlertSettings({ name: "A", webhooksOn: false });
  for (let count = 0; count < 500; count += 1) toValue(await saveAlert(world.accounts, { ...draft, settings }));
  const refused = await saveAlert(world.accounts, { ...draft, settings });
  assert.equal(refused.ok ? "" : refused.error.code, "alert_limit_reached");
});

const BLOCKED = ["http://127.0.0.1/hook", "https://169.254.169.254/latest", "http://localhost:8080/", "http://[::1]/"];
for (const url of BLOCKED) {
  test(`${url} is refused at save with a message that names the setting`, async () => {
    const world = await createWorld();
    await world.setUpAccount();
    const policy = createAddressPolicy({ allow: [], ownAddresses: () => [] });
    const guard = createEgressGuard({ policy, resolver: createResolver({ clock: world.clock }) });
    const accounts = { ...world.accounts, checkUrl: (address: URL) => guard.checkUrl(address) };
    const settings = makeAlertSettings({ name: "A" });
    const saved = await saveAlert(accounts, {
      accountId: ACCOUNT,
      existing: null,
      settings,
      webhook: makeWebhookForm({ url }),
      by: ADA,
    });
    assert.equal(saved.ok ? "" : saved.error.code, "invalid_webhook_url");
    assert.match(
      saved.ok ? "" : (saved.error.errors?.[0]?.message ?? ""),
      /Ask the people who run this service to allow it\.$/,
    );
    assert.deepEqual((await world.ctx.accounts.load(ACCOUNT, 0))?.alerts, []);
  });
}

test("each sign-in link is another one", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const links = [
    await createDashboardLink(world.accounts, { accountId: ACCOUNT, person: "ana@example.com", role: "owner" }),
    await createDashboardLink(world.accounts, { accountId: ACCOUNT, person: "ana@example.com", role: "owner" }),
  ];
  const [first, second] = links.map((link) => toValue(link));
  assert.notEqual(first?.url, second?.url);
  assert.equal((first?.expiresAtMs ?? 0) - world.clock.nowMs(), 5 * 60_000);
});

test("an account that is forgotten while it is read is read again, and the older read does not come back", async () => {
  const world = await createWorld();
  await world.setUpAccount();
  const { store, sealer } = world.accounts;
  const slow = Promise.withResolvers<void>();
  let reads = 0;
  const loadAccount: Store["loadAccount"] = async (params) => {
    const stored = await store.loadAccount(params);
    if ((reads += 1) === 1) await slow.promise;
    return stored;
  };
  const cache = createAccountCache({
    store: { ...store, loadAccount },
    sealer,
    clock: world.clock,
    isShared: false,
  });
  const before = cache.load(ACCOUNT);
  await settled();
  await world.setUpAccount("growth");
  cache.forget(ACCOUNT);
  const after = cache.load(ACCOUNT);
  await settled();
  slow.resolve();
  assert.equal((await after)?.account.plan, "growth");
  assert.equal((await before)?.account.plan, "starter");
  assert.equal((await cache.load(ACCOUNT))?.account.plan, "growth");
});

test("a database that was made with another encryption key is refused at start", async () => {
  const world = await createWorld();
  await checkEncryptionKey(world.store, world.accounts.sealer);
  await checkEncryptionKey(world.store, world.accounts.sealer);
  const other = createSealer(new Uint8Array(32).fill(2), systemRandom);
  await assert.rejects(
    checkEncryptionKey(world.store, other),
    /made with another encryption key.*BELLWIRE_ENCRYPTION_KEY/s,
  );
});
