/** Promises about accounts, alerts, chat assistants, their destinations, sign-in links and settings. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Account } from "../../domain/account.ts";
import { makeAlert, makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  ACCOUNT,
  accept,
  acceptEach,
  claimIds,
  findDestination,
  due,
  EVE,
  makeEvent,
  inStore,
  type OpenStore,
  setUp,
  T0,
  loadVersion,
  ACCEPTED,
  ADA,
  ALERT,
  ALERT_DESTINATION,
  alertToSave,
} from "./world.ts";
import type { SaveAlert } from "../contract/accounts.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
/** What a destination has besides its settings, as long as nothing has happened to it. */
const AS_SAVED = { state: "on", offReason: null, failingSinceMs: null, callerId: null, appliedAtMs: null } as const;

export function describeSetUp(open: OpenStore): void {
  describe("accounts", () => describeAccounts(open));
  describe("alerts", () => describeAlerts(open));
  describe("chat assistants", () => describeAssistants(open));
  describe("the installation", () => describeInstallation(open));
}

function describeAccounts(open: OpenStore): void {
  const test = inStore(open);
  test("an account is created once and keeps its first secret", async (store) => {
    const put = (newSealedSecret: string) => store.putAccount({ account: ACCOUNT, newSealedSecret, nowMs: T0 });
    assert.deepEqual(await put("first"), { created: true });
    assert.deepEqual(await put("second"), { created: false });
    const secrets = { current: { sealed: "first", createdAtMs: T0 }, previous: null, signingKey: null };
    const loaded = await store.loadAccount({ accountId });
    const nothing = { isSuspended: false, alerts: [], assistants: [], webhooks: [] };
    assert.deepEqual(loaded, { ...ACCOUNT, configVersion: 1, secrets, ...nothing });
  });

  test("versions of several accounts are read together; one that does not exist has none", async (store) => {
    const other = { ...ACCOUNT, id: "acct-other" };
    for (const account of [ACCOUNT, other]) await store.putAccount({ account, newSealedSecret: "s", nowMs: T0 });
    await store.putAccount({ account: { ...other, plan: "free" }, newSealedSecret: "s", nowMs: T0 });
    const versions = await store.loadConfigVersions({ accountIds: [accountId, other.id, "acct-nobody"] });
    assert.deepEqual(
      versions.toSorted((one, next) => (one.configVersion ?? 0) - (next.configVersion ?? 0)),
      [
        { accountId, configVersion: 1 },
        { accountId: other.id, configVersion: 2 },
      ],
    );
    assert.deepEqual(await store.loadConfigVersions({ accountIds: [] }), []);
  });

  test("a change of an account is kept and grows its version; the same values do not", async (store) => {
    const put = (account: Account) => store.putAccount({ account, newSealedSecret: "s", nowMs: T0 });
    await put(ACCOUNT);
    await put(ACCOUNT);
    assert.equal(await loadVersion(store), 1);
    await put({ ...ACCOUNT, plan: "free" });
    const loaded = await store.loadAccount({ accountId });
    assert.deepEqual([loaded?.plan, loaded?.configVersion], ["free", 2]);
  });

  test("an account that does not exist is null", async (store) => {
    assert.equal(await store.loadAccount({ accountId: "nobody" }), null);
  });
}

function describeAlerts(open: OpenStore): void {
  const test = inStore(open);
  const save = (store: Store, parts: Partial<SaveAlert> = {}) => store.saveAlert(alertToSave(parts));

  test("an alert comes back as it was saved, with its destination on", async (store) => {
    const version = await setUp(store, []);
    assert.deepEqual(await save(store), { kind: "saved", revision: 1 });
    const loaded = await store.loadAccount({ accountId });
    const destination = { ...ALERT_DESTINATION, ...AS_SAVED, setUpAtMs: T0 };
    assert.deepEqual(loaded?.alerts, [{ ...ALERT, revision: 1, changed: { by: "ada", atMs: T0 }, destination }]);
    assert.ok(loaded.configVersion > version);
  });

  test("an edit replaces every field, counts the revision and grows the account's version", async (store) => {
    await setUp(store, []);
    await save(store);
    const version = await loadVersion(store);
    const alert = makeAlert({ id: ALERT.id, name: "New", webhooksOn: false });
    const destination = makeDestinationSetup({
      id: ALERT_DESTINATION.id,
      url: "https://new.example/",
      ratePerSecond: 2.5,
    });
    const result = await save(store, { alert, destination, expectedRevision: 1, by: EVE, nowMs: T0 + 9 });
    assert.deepEqual(result, { kind: "saved", revision: 2 });
    const loaded = await store.loadAccount({ accountId });
    const stored = { ...destination, ...AS_SAVED, setUpAtMs: T0 + 9 };
    const changed = { by: "eve", atMs: T0 + 9 };
    assert.deepEqual(loaded?.alerts, [{ ...alert, revision: 2, changed, destination: stored }]);
    assert.ok(loaded.configVersion > version);
  });

  test("an alert can be saved without a destination and get one later; none given later keeps it", async (store) => {
    await setUp(store, []);
    await save(store, { destination: null });
    assert.equal((await store.loadAccount({ accountId }))?.alerts[0]?.destination, null);
    await save(store, { expectedRevision: 1 });
    await save(store, { expectedRevision: 2, destination: null });
    assert.equal((await store.loadAccount({ accountId }))?.alerts[0]?.destination?.id, ALERT_DESTINATION.id);
  });

  test("an edit of an older revision is refused with the newer one, and changes nothing", async (store) => {
    await setUp(store, []);
    await save(store);
    await save(store, { expectedRevision: 1 });
    const before = await store.loadAccount({ accountId });
    const late = await save(store, { expectedRevision: 1, alert: { ...ALERT, name: "Late" } });
    assert.deepEqual(late, { kind: "edited_meanwhile", revision: 2 });
    assert.deepEqual(await store.loadAccount({ accountId }), before);
  });

  test("a create that is repeated makes no second alert", async (store) => {
    await setUp(store, []);
    await save(store);
    assert.deepEqual(await save(store), { kind: "edited_meanwhile", revision: 1 });
    assert.equal((await store.loadAccount({ accountId }))?.alerts.length, 1);
  });

  test("an alert of no account, of another account, or that never was is refused by kind", async (store) => {
    await setUp(store, []);
    await setUp(store, [], { ...ACCOUNT, id: "acc_2" });
    await save(store);
    assert.deepEqual(await save(store, { accountId: "nobody" }), { kind: "account_missing" });
    assert.deepEqual(await save(store, { accountId: "acc_2", expectedRevision: 1 }), { kind: "missing" });
    const unknown = { ...ALERT, id: "alr_unknown" };
    assert.deepEqual(await save(store, { alert: unknown, expectedRevision: 1 }), { kind: "missing" });
  });

  test("no more alerts are created than the limit, and those that exist can still be edited", async (store) => {
    await setUp(store, []);
    await save(store);
    await save(store, { alert: { ...ALERT, id: "alr_2" }, destination: null });
    const third = await save(store, { alert: { ...ALERT, id: "alr_3" }, destination: null });
    assert.deepEqual(third, { kind: "limit_reached" });
    assert.deepEqual(await save(store, { expectedRevision: 1 }), { kind: "saved", revision: 2 });
  });

  test("a dry run answers as a save does, refusals too, and writes nothing", async (store) => {
    await setUp(store, []);
    const tried = { isDryRun: true };
    const before = await store.loadAccount({ accountId });
    assert.deepEqual(await save(store, tried), { kind: "saved", revision: 1 });
    assert.deepEqual(await store.loadAccount({ accountId }), before);
    await save(store);
    await save(store, { alert: { ...ALERT, id: "alr_2" }, destination: null });
    const full = await store.loadAccount({ accountId });
    const third = { ...tried, alert: { ...ALERT, id: "alr_3" }, destination: null };
    assert.deepEqual(await save(store, third), { kind: "limit_reached" });
    assert.deepEqual(await save(store, { ...tried, expectedRevision: 1 }), { kind: "saved", revision: 2 });
    assert.deepEqual(await save(store, { ...tried, expectedRevision: 2 }), { kind: "edited_meanwhile", revision: 1 });
    assert.deepEqual(await store.loadAccount({ accountId }), full);
    assert.equal((await store.listAudit({ accountId, before: null, limit: 9 })).length, 2);
  });

  test("a destination cannot be taken over by another account", async (store) => {
    await setUp(store, []);
    const thief = "acc_2";
    await setUp(store, [], { ...ACCOUNT, id: thief });
    await save(store);
    const stolen = { ...ALERT_DESTINATION, url: "https://thief.example/" };
    const stealing = save(store, { accountId: thief, destination: stolen });
    // Where they are in two shards, the thief gets one of its own.
    if ((open.shards ?? 1) === 1) await assert.rejects(stealing, /belongs to another account/);
    else await stealing;
    const loaded = await store.loadAccount({ accountId });
    assert.equal(loaded?.alerts[0]?.destination?.url, ALERT_DESTINATION.url);
  });
}

function describeAssistants(open: OpenStore): void {
  const test = inStore(open);
  const put = (store: Store, name: string, rename: boolean) =>
    store.putChatAssistant({ accountId, assistant: { id: "bot", name }, rename, nowMs: T0 });

  test("an assistant is created once, and renamed only when asked", async (store) => {
    const version = await setUp(store, []);
    assert.deepEqual(await put(store, "Ada", false), { created: true });
    assert.deepEqual(await put(store, "Eve", false), { created: false });
    assert.equal((await store.loadAccount({ accountId }))?.assistants[0]?.name, "Ada");
    assert.equal(await loadVersion(store), version + 1);
    assert.deepEqual(await put(store, "Eve", true), { created: false });
    assert.deepEqual((await store.loadAccount({ accountId }))?.assistants, [
      { id: "bot", name: "Eve", conditions: null, revision: 1, changed: null, destination: null },
    ]);
    assert.equal(await loadVersion(store), version + 2);
    await put(store, "Eve", true);
    assert.equal(await loadVersion(store), version + 2);
  });

  test("an assistant is loaded alone as it is with its account, and not from another one", async (store) => {
    await setUp(store, []);
    await setUp(store, [], { ...ACCOUNT, id: "acc_2" });
    await put(store, "Ada", false);
    const load = (id: string, assistantId = "bot") => store.loadAssistant({ accountId: id, assistantId });
    const withAccount = async () => (await store.loadAccount({ accountId }))?.assistants[0];
    assert.deepEqual(await load(accountId), await withAccount());
    const headers = [{ name: "x-key", value: "sealed", secret: true }];
    const destination = makeDestinationSetup({
      id: "dst_bot",
      url: "https://receiver.example/bot",
      headers,
      ratePerSecond: 5,
      tags: ["crm", 'é "quoted"'],
    });
    const by = { person: "ada", role: "owner" } as const;
    const { conditions } = ALERT;
    const change = { accountId, assistantId: "bot", by, nowMs: T0 };
    await store.saveAssistantDestination({ ...change, destination, conditions, expectedRevision: 1 });
    const saved = await load(accountId);
    assert.deepEqual(saved, await withAccount());
    assert.deepEqual([saved?.revision, saved?.destination?.url], [2, destination.url]);
    const [reported] = await store.loadDestinations({ accountId, withDeleted: false, nowMs: T0, waitingMax: 0 });
    assert.deepEqual([saved?.destination?.tags, reported?.tags], [destination.tags, destination.tags]);
    assert.deepEqual(saved?.conditions, conditions);
    assert.deepEqual([await load("acc_2"), await load("nobody"), await load(accountId, "other")], [null, null, null]);
    await store.removeAssistantDestination({ ...change, expectedRevision: 2 });
    const removed = await load(accountId);
    assert.deepEqual([removed?.destination, removed?.conditions], [null, null]);
  });

  test("a destination's authentication is kept as saved, and goes with the save that leaves it out", async (store) => {
    await setUp(store, []);
    await put(store, "Ada", false);
    const destination = makeDestinationSetup({ id: "dst_bot", url: "https://receiver.example/bot" });
    const oauth = {
      tokenUrl: "https://login.example/token",
      clientId: 'é \u0000 "quoted"',
      clientSecret: "sealed",
      scope: "",
      audience: "a",
      clientAuthentication: "post",
    } as const;
    const authentication = { oauth, certificate: { chain: "-----BEGIN\n", key: "sealed too" } };
    const save = async (parts: object, expectedRevision: number) => {
      const change = { accountId, assistantId: "bot", by: ADA, nowMs: T0, expectedRevision };
      await store.saveAssistantDestination({ ...change, destination: { ...destination, ...parts } });
      const alone = (await store.loadAssistant({ accountId, assistantId: "bot" }))?.destination;
      const [withAll] = (await store.loadAccount({ accountId }))?.assistants ?? [];
      assert.deepEqual(alone, withAll?.destination);
      return alone?.authentication;
    };
    assert.deepEqual(await save({ authentication }, 1), authentication);
    assert.deepEqual(await save({ authentication: { oauth, certificate: null } }, 2), { oauth, certificate: null });
    assert.equal(await save({}, 3), undefined);
  });

  test("an assistant of no account says that the account is missing", async (store) => {
    assert.deepEqual(await put(store, "Ada", false), { missing: "account" });
  });

  test("a destination is saved for an assistant that exists, under one id", async (store) => {
    const version = await setUp(store, ["dst_a"]);
    const assistantId = "assistant of dst_a";
    const destination = makeDestinationSetup({
      id: "dst_a",
      url: "https://new.example/",
      headers: ALERT_DESTINATION.headers,
      ratePerSecond: 5,
    });
    const saveDestination = (parts: object) =>
      store.saveAssistantDestination({
        accountId,
        assistantId,
        destination,
        expectedRevision: 2,
        by: ADA,
        nowMs: T0,
        ...parts,
      });
    const other = { ...destination, id: "dst_other" };
    const outdated = { kind: "edited_meanwhile", revision: 2 };
    assert.deepEqual(await saveDestination({ assistantId: "nobody" }), { kind: "assistant_missing" });
    assert.deepEqual(await saveDestination({ destination: other }), outdated);
    assert.deepEqual(await saveDestination({ expectedRevision: 1 }), outdated);
    assert.deepEqual(await saveDestination({}), { kind: "saved", revision: 3 });
    const stored = { ...destination, ...AS_SAVED, setUpAtMs: T0 };
    assert.deepEqual(await findDestination(store, "dst_a"), stored);
    assert.equal(await loadVersion(store), version + 1);
  });

  test("no more assistants get a destination than the limit, and a dry run says so and saves none", async (store) => {
    await setUp(store, ["dst_a"]);
    await put(store, "Ada", false);
    const version = await loadVersion(store);
    const destination = makeDestinationSetup({ id: "dst_b", url: "https://b.example/" });
    const change = { accountId, assistantId: "bot", destination, expectedRevision: 1, by: ADA, nowMs: T0 };
    const saveTo = async (parts: Partial<typeof change> & { assistantsMax: number; isDryRun?: boolean }) =>
      await store.saveAssistantDestination({ ...change, ...parts });
    for (const isDryRun of [true, false]) {
      assert.deepEqual(await saveTo({ assistantsMax: 1, isDryRun }), { kind: "limit_reached" });
    }
    assert.deepEqual(await saveTo({ assistantsMax: 2, isDryRun: true }), { kind: "saved", revision: 2 });
    assert.equal(await loadVersion(store), version);
    assert.deepEqual(await saveTo({ assistantsMax: 2 }), { kind: "saved", revision: 2 });
    const again = await saveTo({ assistantsMax: 1, expectedRevision: 2 });
    assert.deepEqual(again, { kind: "saved", revision: 3 }, "one that has one is changed at any number");
  });

  test("deliveries that wait go out after their destination's URL has changed", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await acceptEach(store, [due("dlv_1", "dst_a")], configVersion);
    const destination = makeDestinationSetup({ id: "dst_a", url: "https://new.example/" });
    const assistantId = "assistant of dst_a";
    const change = { accountId, assistantId, expectedRevision: 2, by: ADA, nowMs: T0 };
    await store.saveAssistantDestination({ ...change, destination });
    assert.deepEqual(await claimIds(store, T0), ["dlv_1"]);
  });
}

function describeInstallation(open: OpenStore): void {
  const test = inStore(open);
  test("a sign-in link needs its account", async (store) => {
    await setUp(store, []);
    const link = {
      accountId,
      person: "ada",
      role: "owner",
      tokenHash: "ab12",
      expiresAtMs: T0 + 1,
      nowMs: T0,
    } as const;
    assert.deepEqual(await store.createSignInLink(link), { created: true });
    assert.deepEqual(await store.createSignInLink({ ...link, accountId: "nobody" }), { created: false });
  });

  test("a setting is saved unless it is there: the first value stays, and every caller gets it", async (store) => {
    assert.equal(await store.loadSetting({ name: "check" }), null);
    const save = (value: string) => store.saveSettingUnlessThere({ name: "check", value });
    assert.deepEqual(await save("1"), { value: "1", isNew: true });
    assert.deepEqual(await save("2"), { value: "1", isNew: false });
    assert.equal(await store.loadSetting({ name: "check" }), "1");
    const values = ["a", "b", "c", "d"];
    const saved = await Promise.all(values.map((value) => store.saveSettingUnlessThere({ name: "race", value })));
    assert.equal(saved.filter(({ isNew }) => isNew).length, 1);
    assert.deepEqual([...new Set(saved.map(({ value }) => value))], [await store.loadSetting({ name: "race" })]);
  });

  test("declarations are listed by name, each as saved last, until its type is declared no more", async (store) => {
    const save = (type: string, declaration: string | null, nowMs: number) =>
      store.saveDeclaration({ type, declaration, nowMs });
    assert.deepEqual(await store.listDeclarations({ typesMax: 200 }), []);
    for (const type of ["order_paid", "order.sent", "a"]) await save(type, `{"type":"${type}"}`, T0);
    await save("order.sent", `{"title":"é \u2028 '\\'"}`, T0 + 1);
    await save("a", null, T0 + 2);
    await save("never there", null, T0 + 2);
    assert.deepEqual(await store.listDeclarations({ typesMax: 200 }), [
      { type: "order.sent", declaration: `{"title":"é \u2028 '\\'"}`, changedAtMs: T0 + 1 },
      { type: "order_paid", declaration: '{"type":"order_paid"}', changedAtMs: T0 },
    ]);
  });

  test("a probe can be repeated and changes nothing that is seen", async (store) => {
    const configVersion = await setUp(store, ["dst_a"]);
    await store.probe({ nowMs: T0 });
    await store.probe({ nowMs: T0 });
    await store.probe({ nowMs: T0 + 1 });
    assert.deepEqual(await accept(store, [makeEvent(1, { configVersion })]), [ACCEPTED]);
    assert.deepEqual(await store.countWaiting({ nowMs: T0 }), { waiting: 0, oldestDueAtMs: null });
  });
}
