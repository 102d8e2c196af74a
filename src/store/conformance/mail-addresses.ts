/** Promises about who may get email: only addresses that were confirmed, and few emails until then. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { daysMs, hoursMs, minutesMs } from "../../lib/duration.ts";
import type { AddMailAddress, FollowMailLink } from "../contract/recipients.ts";
import type { ClaimedConfirmation, ClaimMessages } from "../contract/messages.ts";
import type { Store } from "../contract/store.ts";
import {
  ACCOUNT,
  ADA,
  addressToAdd,
  claimMessages,
  inStore,
  linkOf,
  notifyAddresses,
  type OpenStore,
  purgeNow,
  settleMessage,
  setUp,
  T0,
} from "./world.ts";

const accountId = ACCOUNT.id;
const ANA = "ana@example.com";
const OTHER = { ...ACCOUNT, id: "acc_2" };
const addressId = `adr of ${ANA}`;

let links = 0;

/** No link is ever given twice. The first of each test is known as `link of` the address. */
const newLink = () => linkOf(`${(links += 1)}`);
const add = (store: Store, address = ANA, parts: Partial<AddMailAddress> = {}) =>
  store.addMailAddress({ ...addressToAdd(address), ...parts });
const ask = (store: Store, nowMs: number) =>
  store.requestConfirmation({ accountId, addressId, link: newLink(), by: ADA, nowMs });
const remove = (store: Store, nowMs = T0) =>
  store.removeRecipient({ accountId, recipientId: addressId, by: ADA, nowMs });
const claim = async (store: Store, parts: Partial<ClaimMessages> = {}): Promise<ClaimedConfirmation[]> => {
  const claimed = await claimMessages(store, "email", { nowMs: T0, ...parts });
  return claimed.flatMap((each) => (each.kind === "confirmation" ? [each] : []));
};
/** By the link of the first email, or by the one that stops email. */
const use = (store: Store, action: FollowMailLink["action"], parts: Partial<FollowMailLink> = {}) =>
  store.followMailLink({
    tokenHash: action === "confirm" ? `link of ${ANA}` : `stop of ${ANA}`,
    action,
    nowMs: T0,
    ...parts,
  });
const list = async (store: Store) => (await store.loadRecipients({ accountId })).mailAddresses;
const findState = async (store: Store) => (await list(store))[0]?.state;

export function describeMailAddresses(open: OpenStore): void {
  describe("addresses for e-mail about failures", () => {
    describeList(open);
    describeLinks(open);
    describeStopping(open);
    describeConfirmations(open);
    describeLimits(open);
  });
}

function describeList(open: OpenStore): void {
  const test = inStore(open);
  test("an address waits when it is added; its account alone has it", async (store) => {
    await setUp(store, []);
    await setUp(store, [], OTHER);
    assert.deepEqual(await list(store), []);
    assert.deepEqual(await add(store), { kind: "added", addressId });
    const expected = {
      id: addressId,
      address: ANA,
      state: "waiting",
      sinceMs: T0,
      confirmation: { atMs: T0, state: "waiting" },
    };
    assert.deepEqual(await list(store), [expected]);
    assert.deepEqual((await store.loadRecipients({ accountId: OTHER.id })).mailAddresses, []);
    const ofAnother = { accountId: OTHER.id, recipientId: addressId, by: ADA, nowMs: T0 };
    assert.equal(await store.removeRecipient(ofAnother), "missing");
    const asked = { accountId: OTHER.id, addressId, link: newLink(), by: ADA, nowMs: T0 + hoursMs(1) };
    assert.deepEqual(await store.requestConfirmation(asked), { kind: "missing" });
  });

  test("one address is there once, however it is typed, and there are at most ten", async (store) => {
    await setUp(store, []);
    await add(store);
    assert.deepEqual(await add(store, "ANA@Example.com"), { kind: "known" });
    for (let n = 2; n <= LIMITS.failureMailAddressesMax; n += 1) await add(store, `p${n}@example.com`);
    assert.deepEqual(await add(store, "late@example.com"), { kind: "full" });
    await remove(store);
    assert.equal((await add(store, "late@example.com")).kind, "added");
    assert.deepEqual(await add(store, ANA, { accountId: "acc_none" }), { kind: "account_missing" });
  });

  test("an address that comes back waits again", async (store) => {
    await setUp(store, []);
    await notifyAddresses(store, [ANA]);
    assert.equal(await remove(store), "removed");
    assert.equal(await remove(store), "missing");
    const nowMs = T0 + hoursMs(1);
    assert.deepEqual(await add(store, ANA, { nowMs, address: { ...addressToAdd(ANA).address, id: "another" } }), {
      kind: "added",
      addressId,
    });
    assert.equal(await findState(store), "waiting");
  });
}

function describeLinks(open: OpenStore): void {
  const test = inStore(open);
  const setUpEmail = async (store: Store) => {
    await setUp(store, []);
    await add(store);
    return (await claim(store))[0];
  };

  test("an email's link says who asks, and confirms once", async (store) => {
    const email = await setUpEmail(store);
    const { secretHash, sealedSecret } = linkOf(ANA);
    assert.deepEqual(
      [email?.secretHash, email?.sealedSecret, email?.address, email?.accountName, email?.sealedStop, email?.untilMs],
      [secretHash, sealedSecret, ANA, "Acme", `sealed ${ANA}`, T0 + LIMITS.confirmLinkMs],
    );
    const link = {
      purpose: "confirm",
      found: "good",
      accountId,
      accountName: "Acme",
      address: ANA,
      state: "waiting",
    };
    assert.deepEqual(await store.followMailLink({ tokenHash: `link of ${ANA}`, action: "look", nowMs: T0 }), link);
    assert.equal(await findState(store), "waiting", "to look at it confirms nothing");
    assert.deepEqual(await use(store, "confirm", { nowMs: T0 + 5 }), { ...link, state: "confirmed" });
    const [address] = await list(store);
    assert.deepEqual([address?.state, address?.sinceMs], ["confirmed", T0 + 5]);
    await use(store, "stop");
    assert.deepEqual(await use(store, "confirm"), { ...link, found: "used", state: "stopped" });
    assert.equal(await findState(store), "stopped");
  });

  test("a link works for three days, and is known as expired for a month more", async (store) => {
    await setUpEmail(store);
    const endMs = T0 + LIMITS.confirmLinkMs;
    assert.equal((await use(store, "confirm", { nowMs: endMs }))?.found, "expired");
    assert.equal(await findState(store), "waiting");
    await purgeNow(store, endMs + daysMs(30) - 1);
    assert.equal(
      (await store.followMailLink({ tokenHash: `link of ${ANA}`, action: "look", nowMs: endMs }))?.found,
      "expired",
    );
    await purgeNow(store, endMs + daysMs(30) + 1);
    assert.equal(await store.followMailLink({ tokenHash: `link of ${ANA}`, action: "look", nowMs: endMs }), null);
    assert.equal(await use(store, "confirm", { nowMs: T0, tokenHash: "never there" }), null);
  });

  test("a link of a removed address confirms nothing, not even when the address comes back", async (store) => {
    await setUpEmail(store);
    await remove(store);
    assert.equal(await use(store, "confirm"), null);
    await add(store, ANA, { nowMs: T0 + hoursMs(1), link: newLink() });
    assert.equal(await use(store, "confirm", { nowMs: T0 + hoursMs(1) }), null);
    assert.equal(await findState(store), "waiting");
  });

  test("a link does only what it is made for", async (store) => {
    await setUpEmail(store);
    await use(store, "stop", { nowMs: T0, tokenHash: `link of ${ANA}` });
    await use(store, "confirm", { nowMs: T0, tokenHash: `stop of ${ANA}` });
    assert.equal(await findState(store), "waiting");
  });
}

function describeStopping(open: OpenStore): void {
  const test = inStore(open);
  test("a person who reads the mailbox stops email and starts it again, confirmed or not", async (store) => {
    await setUp(store, []);
    await add(store);
    assert.equal((await use(store, "stop", { nowMs: T0 + 1 }))?.state, "stopped");
    assert.deepEqual(await ask(store, T0 + hoursMs(1)), { kind: "stopped" });
    assert.equal((await use(store, "start", { nowMs: T0 + 2 }))?.state, "confirmed");
    assert.deepEqual(await ask(store, T0 + hoursMs(1)), { kind: "confirmed" });
    assert.equal((await use(store, "start", { nowMs: T0 + 3 }))?.state, "confirmed");
    const actions = (await store.listAudit({ accountId, before: null, limit: 9 })).map(({ action, person, role }) => [
      action,
      person,
      role,
    ]);
    assert.deepEqual(actions, [
      ["mail_address_started", ANA, "system"],
      ["mail_address_stopped", ANA, "system"],
      ["mail_address_added", ADA.person, ADA.role],
    ]);
  });

  test("an owner cannot bring back what its recipient has stopped, however long ago", async (store) => {
    await setUp(store, []);
    await notifyAddresses(store, [ANA]);
    await remove(store);
    assert.equal((await use(store, "stop"))?.found, "removed", "the link works on when the address is gone");
    await purgeNow(store, T0 + daysMs(400));
    assert.deepEqual(await add(store, ANA, { nowMs: T0 + daysMs(400) }), { kind: "stopped" });
    await use(store, "start", { nowMs: T0 + daysMs(400) });
    assert.deepEqual(await add(store, ANA, { nowMs: T0 + daysMs(400) }), { kind: "stopped" });
  });

  test("an address that was removed and not stopped is forgotten after a month", async (store) => {
    await setUp(store, []);
    await notifyAddresses(store, [ANA]);
    await remove(store);
    await purgeNow(store, T0 + daysMs(30) - 1);
    assert.equal(
      (await store.followMailLink({ tokenHash: `stop of ${ANA}`, action: "look", nowMs: T0 }))?.found,
      "removed",
    );
    await purgeNow(store, T0 + daysMs(30) + 1);
    assert.equal(await store.followMailLink({ tokenHash: `stop of ${ANA}`, action: "look", nowMs: T0 }), null);
  });
}

function describeConfirmations(open: OpenStore): void {
  const test = inStore(open);
  const settle = (store: Store, parts: { claimToken?: string; kind?: "sent" | "no_mailbox" } = {}) => {
    const { claimToken = "node", kind = "sent" } = parts;
    return settleMessage(store, { accountId, recipient: addressId }, { nowMs: T0, claimToken, end: { kind } });
  };
  const findConfirmation = async (store: Store) => (await list(store))[0]?.confirmation.state;

  test("a confirmation is given to one node at a time, and again, with its link, after the claim", async (store) => {
    await setUp(store, []);
    await add(store);
    const [first] = await claim(store);
    const endMs = T0 + minutesMs(5);
    assert.deepEqual(await claim(store, { claimToken: "other", nowMs: endMs - 1 }), []);
    assert.deepEqual(await claim(store, { claimToken: "other", nowMs: endMs }), [first]);
    await settle(store, { kind: "no_mailbox" });
    assert.equal(await findConfirmation(store), "waiting", "only its holder can say what became of it");
    await settle(store, { claimToken: "other" });
    assert.equal(await findConfirmation(store), "sent");
    assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(2) }), []);
    assert.equal((await use(store, "confirm", { nowMs: T0 + hoursMs(2) }))?.state, "confirmed");
  });

  test("as many are taken as are asked for, oldest first", async (store) => {
    await setUp(store, []);
    await add(store);
    await add(store, "bo@example.com");
    assert.deepEqual(
      (await claim(store, { messagesMax: 1 })).map(({ address }) => address),
      [ANA],
    );
    assert.deepEqual(
      (await claim(store, { claimToken: "b" })).map(({ address }) => address),
      ["bo@example.com"],
    );
  });

  test("an email that no mail server took for a day, or that nobody waits for, is not sent", async (store) => {
    await setUp(store, []);
    await add(store);
    await add(store, "bo@example.com");
    await store.followMailLink({ tokenHash: "stop of bo@example.com", action: "stop", nowMs: T0 });
    const [only, ...others] = await claim(store, { nowMs: T0 + hoursMs(23) });
    assert.deepEqual([only?.address, others], [ANA, []]);
    assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(24) }), []);
    assert.equal(await findConfirmation(store), "dropped");
  });

  test("an address asked again before the first email went out gets one, with the latest link", async (store) => {
    await setUp(store, []);
    await add(store);
    await ask(store, T0 + hoursMs(1));
    const asked = await claim(store, { nowMs: T0 + hoursMs(1) });
    assert.deepEqual(
      asked.map(({ secretHash }) => secretHash),
      [`link of ${links}`],
    );
    await settle(store);
    assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(2) }), []);
  });

  test("that a mailbox does not exist is remembered until it is asked again", async (store) => {
    await setUp(store, []);
    await add(store);
    await claim(store);
    await settle(store, { kind: "no_mailbox" });
    assert.equal(await findConfirmation(store), "no_mailbox");
    await ask(store, T0 + hoursMs(1));
    assert.equal(await findConfirmation(store), "waiting");
  });
}

function describeLimits(open: OpenStore): void {
  const test = inStore(open);
  const refused = (refusal: string) => ({ kind: "refused", refusal });

  test("one account asks one mailbox each five minutes at most and three times a day in all", async (store) => {
    await setUp(store, []);
    await add(store);
    assert.deepEqual(await ask(store, T0 + LIMITS.confirmEmailGapMs - 1), refused("too_soon"));
    await remove(store);
    assert.deepEqual(await add(store, ANA, { nowMs: T0 + 9 }), refused("too_soon"));
    assert.deepEqual(await list(store), []);
    assert.equal((await add(store, ANA, { nowMs: T0 + minutesMs(5) })).kind, "added");
    assert.deepEqual(await ask(store, T0 + minutesMs(10)), { kind: "queued" });
    assert.deepEqual(await ask(store, T0 + minutesMs(15)), refused("address_limit"));
    await remove(store);
    assert.deepEqual(await add(store, ANA, { nowMs: T0 + hoursMs(23) }), refused("address_limit"));
    assert.equal((await add(store, ANA, { nowMs: T0 + daysMs(1) + minutesMs(1) })).kind, "added");
  });

  test("all accounts together ask one mailbox five times a day, whatever stands behind its plus", async (store) => {
    const accounts = ["acc_1", "acc_2", "acc_3", "acc_4", "acc_5", "acc_6"];
    for (const id of accounts) await setUp(store, [], { ...ACCOUNT, id });
    const results = [];
    for (const [n, id] of accounts.entries()) {
      const typed = n % 2 === 0 ? `Ana+${n}@example.com` : ANA;
      const address = { ...addressToAdd(typed).address, id: `adr_${n}`, stopHash: `stop_${n}` };
      results.push((await add(store, typed, { accountId: id, address, link: newLink() })).kind);
    }
    // Each shard counts by itself.
    if ((open.shards ?? 1) > 1) return;
    assert.deepEqual(results, [
      ...Array.from({ length: LIMITS.confirmEmailsOfMailboxDayMax }, () => "added"),
      "refused",
    ]);
  });

  test("an account asks twenty times a day, whomever", async (store) => {
    await setUp(store, []);
    const results = [];
    for (let n = 0; n <= LIMITS.confirmEmailsOfAccountDayMax; n += 1) {
      const address = `p${n}@example.com`;
      const added = await add(store, address, { nowMs: T0 + n });
      results.push(added.kind);
      await store.removeRecipient({ accountId, recipientId: `adr of ${address}`, by: ADA, nowMs: T0 + n });
      // Counted requests go with their age and with nothing else.
      await purgeNow(store, T0 + n);
    }
    assert.equal(results.filter((kind) => kind === "added").length, LIMITS.confirmEmailsOfAccountDayMax);
    assert.equal(results.at(-1), "refused");
  });
}
