/** Promises about who may get letters: only addresses whose reader has said so, and few letters until then. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { daysMs, hoursMs, minutesMs } from "../../lib/duration.ts";
import type { AddMailAddress, ClaimConfirmations, SettleConfirmation, UseMailLink } from "../contract/mail.ts";
import type { Store } from "../contract/store.ts";
import { keyOf, ACCOUNT, ADA, addressToAdd, inStore, type OpenStore, purgeNow, setUp, T0, tellTo } from "./world.ts";

const accountId = ACCOUNT.id;
const ANA = "ana@example.com";
const OTHER = { ...ACCOUNT, id: "acc_2" };
const addressId = `adr of ${ANA}`;

let letters = 0;

/** A letter's id is never given twice, as ids of ours are not. */
const add = (store: Store, address = ANA, parts: Partial<AddMailAddress> = {}) =>
  store.addMailAddress({ ...addressToAdd(address), letterId: `ltr_${(letters += 1)}`, ...parts });
const ask = (store: Store, nowMs: number) =>
  store.requestConfirmation({ accountId, addressId, letterId: `ltr_${(letters += 1)}`, by: ADA, nowMs });
const remove = (store: Store, nowMs = T0) => store.removeMailAddress({ accountId, addressId, by: ADA, nowMs });
const claim = (store: Store, parts: Partial<ClaimConfirmations> = {}) => {
  const { nowMs = T0 } = parts;
  const secretHashes = ["link"];
  return store.claimConfirmations({ nowMs, claimToken: "node", claimUntilMs: nowMs + 600_000, secretHashes, ...parts });
};
/** By the link of the first letter, or by the one that stops letters. */
const use = (store: Store, action: UseMailLink["action"], parts: Partial<UseMailLink> = {}) =>
  store.useMailLink({
    tokenHash: keyOf(action === "confirm" ? "link" : `stop of ${ANA}`),
    action,
    nowMs: T0,
    ...parts,
  });
const findState = async (store: Store) => (await store.loadMailAddresses({ accountId }))[0]?.state;

export function describeMailAddresses(open: OpenStore): void {
  describe("addresses for e-mail about failures", () => {
    describeList(open);
    describeLinks(open);
    describeStopping(open);
    describeLetters(open);
    describeLimits(open);
  });
}

function describeList(open: OpenStore): void {
  test(
    "an address waits when it is added; its account alone has it",
    inStore(open, async (store) => {
      await setUp(store, []);
      await setUp(store, [], OTHER);
      assert.deepEqual(await store.loadMailAddresses({ accountId }), []);
      assert.deepEqual(await add(store), { kind: "added", addressId });
      const expected = {
        id: addressId,
        address: ANA,
        state: "waiting",
        sinceMs: T0,
        letter: { atMs: T0, state: "waiting" },
      };
      assert.deepEqual(await store.loadMailAddresses({ accountId }), [expected]);
      assert.deepEqual(await store.loadMailAddresses({ accountId: OTHER.id }), []);
      assert.equal(await store.removeMailAddress({ accountId: OTHER.id, addressId, by: ADA, nowMs: T0 }), "missing");
      const asked = { accountId: OTHER.id, addressId, letterId: "ltr", by: ADA, nowMs: T0 + hoursMs(1) };
      assert.deepEqual(await store.requestConfirmation(asked), { kind: "missing" });
    }),
  );

  test(
    "one address is there once, however it is typed, and there are at most ten",
    inStore(open, async (store) => {
      await setUp(store, []);
      await add(store);
      assert.deepEqual(await add(store, "ANA@Example.com"), { kind: "known" });
      for (let n = 2; n <= LIMITS.failureMailAddressesMax; n += 1) await add(store, `p${n}@example.com`);
      assert.deepEqual(await add(store, "late@example.com"), { kind: "full" });
      await remove(store);
      assert.equal((await add(store, "late@example.com")).kind, "added");
      assert.deepEqual(await add(store, ANA, { accountId: "acc_none" }), { kind: "account_missing" });
    }),
  );

  test(
    "an address that comes back waits again",
    inStore(open, async (store) => {
      await setUp(store, []);
      await tellTo(store, [ANA]);
      assert.equal(await remove(store), "removed");
      assert.equal(await remove(store), "missing");
      const nowMs = T0 + hoursMs(1);
      assert.deepEqual(await add(store, ANA, { nowMs, address: { ...addressToAdd(ANA).address, id: "another" } }), {
        kind: "added",
        addressId,
      });
      assert.equal(await findState(store), "waiting");
    }),
  );
}

function describeLinks(open: OpenStore): void {
  const setUpLetter = async (store: Store) => {
    await setUp(store, []);
    await add(store);
    return (await claim(store))[0];
  };

  test(
    "a letter's link says who asks, and confirms once",
    inStore(open, async (store) => {
      const letter = await setUpLetter(store);
      assert.deepEqual(
        [letter?.secretHash, letter?.address, letter?.accountName, letter?.sealedStop, letter?.linkUntilMs],
        ["link", ANA, "Acme", `sealed ${ANA}`, T0 + LIMITS.confirmLinkMs],
      );
      const link = {
        purpose: "confirm",
        found: "good",
        accountId,
        accountName: "Acme",
        address: ANA,
        state: "waiting",
      };
      assert.deepEqual(await store.loadMailLink({ tokenHash: keyOf("link"), nowMs: T0 }), link);
      assert.equal(await findState(store), "waiting", "to look at it confirms nothing");
      assert.deepEqual(await use(store, "confirm", { nowMs: T0 + 5 }), { ...link, state: "confirmed" });
      const [address] = await store.loadMailAddresses({ accountId });
      assert.deepEqual([address?.state, address?.sinceMs], ["confirmed", T0 + 5]);
      await use(store, "stop");
      assert.deepEqual(await use(store, "confirm"), { ...link, found: "used", state: "stopped" });
      assert.equal(await findState(store), "stopped");
    }),
  );

  test(
    "a link works for three days, and is told apart from one that was never there for a month more",
    inStore(open, async (store) => {
      await setUpLetter(store);
      const endMs = T0 + LIMITS.confirmLinkMs;
      assert.equal((await use(store, "confirm", { nowMs: endMs }))?.found, "expired");
      assert.equal(await findState(store), "waiting");
      await purgeNow(store, endMs + daysMs(30) - 1);
      assert.equal((await store.loadMailLink({ tokenHash: keyOf("link"), nowMs: endMs }))?.found, "expired");
      await purgeNow(store, endMs + daysMs(30) + 1);
      assert.equal(await store.loadMailLink({ tokenHash: keyOf("link"), nowMs: endMs }), null);
      assert.equal(await use(store, "confirm", { nowMs: T0, tokenHash: keyOf("never there") }), null);
    }),
  );

  test(
    "a link of an address that was removed confirms nothing, not even when the address comes back",
    inStore(open, async (store) => {
      await setUpLetter(store);
      await remove(store);
      assert.equal(await use(store, "confirm"), null);
      await add(store, ANA, { nowMs: T0 + hoursMs(1) });
      assert.equal(await use(store, "confirm", { nowMs: T0 + hoursMs(1) }), null);
      assert.equal(await findState(store), "waiting");
    }),
  );

  test(
    "a link does only what it is made for",
    inStore(open, async (store) => {
      await setUpLetter(store);
      await use(store, "stop", { nowMs: T0, tokenHash: keyOf("link") });
      await use(store, "confirm", { nowMs: T0, tokenHash: keyOf(`stop of ${ANA}`) });
      assert.equal(await findState(store), "waiting");
    }),
  );
}

function describeStopping(open: OpenStore): void {
  test(
    "whoever reads the mailbox stops letters and starts them again, confirmed or not",
    inStore(open, async (store) => {
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
    }),
  );

  test(
    "an owner cannot bring back what its reader has stopped, however long ago",
    inStore(open, async (store) => {
      await setUp(store, []);
      await tellTo(store, [ANA]);
      await remove(store);
      assert.equal((await use(store, "stop"))?.found, "removed", "the link works on when the address is gone");
      await purgeNow(store, T0 + daysMs(400));
      assert.deepEqual(await add(store, ANA, { nowMs: T0 + daysMs(400) }), { kind: "stopped" });
      await use(store, "start", { nowMs: T0 + daysMs(400) });
      assert.deepEqual(await add(store, ANA, { nowMs: T0 + daysMs(400) }), { kind: "stopped" });
    }),
  );

  test(
    "an address that was removed and not stopped is forgotten after a month",
    inStore(open, async (store) => {
      await setUp(store, []);
      await tellTo(store, [ANA]);
      await remove(store);
      await purgeNow(store, T0 + daysMs(30) - 1);
      assert.equal((await store.loadMailLink({ tokenHash: keyOf(`stop of ${ANA}`), nowMs: T0 }))?.found, "removed");
      await purgeNow(store, T0 + daysMs(30) + 1);
      assert.equal(await store.loadMailLink({ tokenHash: keyOf(`stop of ${ANA}`), nowMs: T0 }), null);
    }),
  );
}

function describeLetters(open: OpenStore): void {
  const settle = (store: Store, letterId: string, parts: Partial<SettleConfirmation> = {}) =>
    store.settleConfirmationIfClaimed({ accountId, letterId, claimToken: "node", state: "sent", ...parts });
  const findLetter = async (store: Store) => (await store.loadMailAddresses({ accountId }))[0]?.letter.state;

  test(
    "a letter is given to one node at a time, and again with another link when its claim has ended",
    inStore(open, async (store) => {
      await setUp(store, []);
      await add(store);
      const [first] = await claim(store);
      assert.deepEqual(await claim(store, { claimToken: "other", nowMs: T0 + 599_999 }), []);
      const again = { claimToken: "other", nowMs: T0 + 600_000, secretHashes: ["second"] };
      assert.equal((await claim(store, again))[0]?.letterId, first?.letterId);
      await settle(store, first?.letterId ?? "", { state: "no_mailbox" });
      assert.equal(await findLetter(store), "waiting", "only its holder can say what became of it");
      await settle(store, first?.letterId ?? "", { claimToken: "other" });
      assert.equal(await findLetter(store), "sent");
      assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(2) }), []);
      assert.equal(
        (await use(store, "confirm", { nowMs: T0 + hoursMs(2), tokenHash: keyOf("link") }))?.state,
        "confirmed",
        "either may have arrived",
      );
    }),
  );

  test(
    "as many letters are taken as there are links for them, oldest first",
    inStore(open, async (store) => {
      await setUp(store, []);
      await add(store);
      await add(store, "bo@example.com", { letterId: "ltr_zz" });
      assert.deepEqual(
        (await claim(store)).map(({ address }) => address),
        [ANA],
      );
      const rest = await claim(store, { claimToken: "b", secretHashes: ["2", "3"] });
      assert.deepEqual(
        rest.map(({ address, secretHash }) => [address, secretHash]),
        [["bo@example.com", "2"]],
      );
    }),
  );

  test(
    "a letter that no mail server took for a day is not sent any more, and neither is one that nobody waits for",
    inStore(open, async (store) => {
      await setUp(store, []);
      await add(store);
      await add(store, "bo@example.com");
      await store.useMailLink({ tokenHash: keyOf("stop of bo@example.com"), action: "stop", nowMs: T0 });
      const [only, ...others] = await claim(store, { nowMs: T0 + hoursMs(23), secretHashes: ["a", "b"] });
      assert.deepEqual([only?.address, others], [ANA, []]);
      assert.deepEqual(await claim(store, { nowMs: T0 + hoursMs(24) }), []);
      assert.equal(await findLetter(store), "dropped");
    }),
  );

  test(
    "that a mailbox does not exist is remembered until it is asked again",
    inStore(open, async (store) => {
      await setUp(store, []);
      await add(store);
      const [letter] = await claim(store);
      await settle(store, letter?.letterId ?? "", { state: "no_mailbox" });
      assert.equal(await findLetter(store), "no_mailbox");
      await ask(store, T0 + hoursMs(1));
      assert.equal(await findLetter(store), "waiting");
    }),
  );
}

function describeLimits(open: OpenStore): void {
  const refused = (refusal: string) => ({ kind: "refused", refusal });

  test(
    "one account asks one mailbox every five minutes at most, and three times a day, also by removing and adding",
    inStore(open, async (store) => {
      await setUp(store, []);
      await add(store);
      assert.deepEqual(await ask(store, T0 + LIMITS.confirmLetterGapMs - 1), refused("too_soon"));
      await remove(store);
      assert.deepEqual(await add(store, ANA, { nowMs: T0 + 9 }), refused("too_soon"));
      assert.deepEqual(await store.loadMailAddresses({ accountId }), []);
      assert.equal((await add(store, ANA, { nowMs: T0 + minutesMs(5) })).kind, "added");
      assert.deepEqual(await ask(store, T0 + minutesMs(10)), { kind: "queued" });
      assert.deepEqual(await ask(store, T0 + minutesMs(15)), refused("address_limit"));
      await remove(store);
      assert.deepEqual(await add(store, ANA, { nowMs: T0 + hoursMs(23) }), refused("address_limit"));
      assert.equal((await add(store, ANA, { nowMs: T0 + daysMs(1) + minutesMs(1) })).kind, "added");
    }),
  );

  test(
    "all accounts together ask one mailbox five times a day, whatever stands behind its plus",
    inStore(open, async (store) => {
      const accounts = ["acc_1", "acc_2", "acc_3", "acc_4", "acc_5", "acc_6"];
      for (const id of accounts) await setUp(store, [], { ...ACCOUNT, id });
      const results = [];
      for (const [n, id] of accounts.entries()) {
        const typed = n % 2 === 0 ? `Ana+${n}@example.com` : ANA;
        const address = { ...addressToAdd(typed).address, id: `adr_${n}`, stopHash: `stop_${n}` };
        results.push((await add(store, typed, { accountId: id, address })).kind);
      }
      assert.deepEqual(results, [
        ...Array.from({ length: LIMITS.confirmLettersOfMailboxDayMax }, () => "added"),
        "refused",
      ]);
    }),
  );

  test(
    "an account asks twenty times a day, whomever",
    inStore(open, async (store) => {
      await setUp(store, []);
      const results = [];
      for (let n = 0; n <= LIMITS.confirmLettersOfAccountDayMax; n += 1) {
        const address = `p${n}@example.com`;
        const added = await add(store, address, { nowMs: T0 + n });
        results.push(added.kind);
        await store.removeMailAddress({ accountId, addressId: `adr of ${address}`, by: ADA, nowMs: T0 + n });
        // Counted letters go with their age and with nothing else.
        await purgeNow(store, T0 + n);
      }
      assert.equal(results.filter((kind) => kind === "added").length, LIMITS.confirmLettersOfAccountDayMax);
      assert.equal(results.at(-1), "refused");
    }),
  );
}
