/** Promises about the audit: what people decide is written down by the transaction that does it, and by no other. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "../../domain/limits.ts";
import { timeInWords } from "../../lib/written-times.ts";
import { makeDestinationSetup } from "../../../test/kit/make.ts";
import {
  ACCOUNT,
  acceptEach,
  ADA,
  addressToAdd,
  channelToAdd,
  linkOf,
  ALERT,
  alertToSave,
  EVE,
  held,
  inStore,
  type OpenStore,
  setUp,
  makeSettlement,
  T0,
  requestOneResend,
} from "./world.ts";
import type { SecretKind } from "../contract/accounts.ts";
import type { AuditAction, ListAudit } from "../contract/people.ts";
import type { Store } from "../contract/store.ts";

const accountId = ACCOUNT.id;
const assistantId = "assistant of dst_a";
const who = { accountId, by: EVE, nowMs: T0 + 5 };
const REPLAY = { filter: { states: ["delivered"] }, deliveriesMax: 9, ratePerSecond: 1 } as const;

const list = (store: Store, parts: Partial<ListAudit> = {}) =>
  store.listAudit({ accountId, before: null, limit: 99, ...parts });

/** Entries written since the world was set up, oldest first. */
async function listEntries(store: Store): Promise<[action: string, subject: string][]> {
  const entries = await list(store);
  return entries
    .flatMap(({ action, subject, atMs }) => (atMs > T0 ? [[action, subject] as [string, string]] : []))
    .toReversed();
}

/** An assistant with `dst_a`, which is on and has delivered `dlv_1`; an alert. */
async function setUpWorld(store: Store): Promise<void> {
  const configVersion = await setUp(store, ["dst_a"]);
  await acceptEach(store, [held("dlv_1", "dst_a")], configVersion);
  await store.settleAttemptsIfClaimed({ nowMs: T0, settlements: [makeSettlement("dlv_1")] });
  await store.saveAlert(alertToSave());
}

interface Decision {
  readonly decide: (store: Store) => Promise<unknown>;
  readonly entries: readonly [action: AuditAction, subject: string][];
}

const replay = (id: string, startPaused: boolean) => ({ ...who, ...REPLAY, id, startPaused });
const setReplay = (store: Store, state: "running" | "paused" | "cancelled") =>
  store.setReplayState({ ...who, replayId: "rpl_1", state });
const setDestination = (store: Store, state: "on" | "paused") =>
  store.setDestinationState({ ...who, destinationId: "dst_a", state, reason: "asked" });
const rotate = (store: Store, previousStopsAtMs: number | null, kind: SecretKind = "secret") =>
  store.rotateSecret({ ...who, kind, newSealedSecret: "second", previousStopsAtMs });

/** As the audit says it of `T0 + 99`. */
const UNTIL = `the previous one stops at ${timeInWords(T0 + 99)}`;

const endRotation = (store: Store, keep: "current" | "previous", kind: SecretKind = "secret") =>
  store.endRotation({ ...who, kind, keep, onlyIfDue: false });
const ANA = "ana@example.com";
const ofAna = { addressId: `adr of ${ANA}`, link: linkOf("another") };
const removeWebhook = (store: Store, expectedRevision: number) =>
  store.removeAssistantDestination({ ...who, assistantId, expectedRevision });

const DECISIONS: Readonly<Record<string, Decision>> = {
  "creating an alert": {
    decide: (store) => store.saveAlert({ ...alertToSave({ alert: { ...ALERT, id: "alr_2", name: "New" } }), ...who }),
    entries: [["alert_created", "New"]],
  },
  "changing an alert": {
    decide: (store) => store.saveAlert({ ...alertToSave({ expectedRevision: 1 }), ...who }),
    entries: [["alert_changed", "Sales"]],
  },
  "deleting an alert": {
    decide: (store) => store.deleteAlert({ ...who, id: ALERT.id, expectedRevision: 1 }),
    entries: [["alert_deleted", "Sales"]],
  },
  "changing an assistant's webhook": {
    decide: (store) =>
      store.saveAssistantDestination({
        ...who,
        assistantId,
        destination: makeDestinationSetup({ id: "dst_a", url: "https://new.example/" }),
        expectedRevision: 2,
      }),
    entries: [["assistant_webhook_changed", "Ada"]],
  },
  "removing an assistant's webhook": {
    decide: (store) => removeWebhook(store, 2),
    entries: [["assistant_webhook_removed", "Ada"]],
  },
  "pausing a destination and turning it on": {
    decide: async (store) => [await setDestination(store, "paused"), await setDestination(store, "on")],
    entries: [
      ["destination_paused", "Ada"],
      ["destination_turned_on", "Ada"],
    ],
  },
  "sending a delivery again": {
    decide: (store) => requestOneResend(store, { ...who, deliveryId: "dlv_1" }),
    entries: [["delivery_resent", "dlv_1"]],
  },
  "preparing, starting, pausing and cancelling a replay": {
    decide: async (store) => [
      await store.createReplay(replay("rpl_1", true)),
      await setReplay(store, "running"),
      await setReplay(store, "paused"),
      await setReplay(store, "cancelled"),
    ],
    entries: [
      ["replay_prepared", "rpl_1"],
      ["replay_started", "rpl_1"],
      ["replay_paused", "rpl_1"],
      ["replay_cancelled", "rpl_1"],
    ],
  },
  "a replay that starts at once, whatever it moves": {
    decide: async (store) => [
      await store.createReplay(replay("rpl_1", false)),
      await store.stepReplays({ nowMs: T0 + 9_000, deliveriesMax: 9 }),
    ],
    entries: [["replay_started", "rpl_1"]],
  },
  "rotating the secret": {
    decide: (store) => rotate(store, T0 + 99),
    entries: [["secret_rotated", UNTIL]],
  },
  "replacing a secret that leaked": {
    decide: (store) => rotate(store, null),
    entries: [["secret_rotated", "at once"]],
  },
  "stopping the previous secret, and going back to it": {
    decide: async (store) => [
      await rotate(store, T0 + 99),
      await endRotation(store, "current"),
      await rotate(store, T0 + 99),
      await endRotation(store, "previous"),
    ],
    entries: [
      ["secret_rotated", UNTIL],
      ["secret_stopped", ""],
      ["secret_rotated", UNTIL],
      ["secret_rotation_cancelled", ""],
    ],
  },
  "signing with a public key": {
    decide: async (store) => [
      await store.addSigningKey({ ...who, sealed: "key" }),
      await rotate(store, T0 + 99, "key"),
      await endRotation(store, "previous", "key"),
      await rotate(store, null, "key"),
      await store.removeSigningKey(who),
    ],
    entries: [
      ["key_added", ""],
      ["key_rotated", UNTIL],
      ["key_rotation_cancelled", ""],
      ["key_rotated", "at once"],
      ["key_removed", ""],
    ],
  },
  "naming who is told about failures": {
    decide: async (store) => [
      await store.addMailAddress(addressToAdd(ANA, who)),
      await store.removeRecipient({ ...who, recipientId: ofAna.addressId }),
    ],
    entries: [
      ["mail_address_added", ANA],
      ["mail_address_removed", ANA],
    ],
  },
  "naming, testing and removing a channel for news": {
    decide: async (store) => {
      const ops = { ...who, channelId: "chn_ops" };
      await store.addChannel(channelToAdd("ops", who));
      await store.noteChannelTest({ ...ops, answer: null });
      await store.removeRecipient({ ...who, recipientId: ops.channelId });
    },
    entries: [
      ["news_channel_added", "ops (https://hooks.example)"],
      ["news_channel_tested", "ops"],
      ["news_channel_removed", "ops"],
    ],
  },
  "asking an address once more": {
    decide: async (store) => [
      await store.addMailAddress(addressToAdd(ANA, { ...who, nowMs: who.nowMs - LIMITS.confirmEmailGapMs })),
      await store.requestConfirmation({ ...who, ...ofAna }),
    ],
    entries: [["mail_address_asked", ANA]],
  },
  "what another verb than the store's own says": {
    decide: (store) => store.writeAudit({ ...who, action: "secret_revealed", subject: "current secret" }),
    entries: [["secret_revealed", "current secret"]],
  },
  "what changes nothing": {
    decide: async (store) => [
      await store.saveAlert({ ...alertToSave({ expectedRevision: 7 }), ...who }),
      await store.deleteAlert({ ...who, id: ALERT.id, expectedRevision: 7 }),
      await removeWebhook(store, 7),
      await setDestination(store, "on"),
      await requestOneResend(store, { ...who, deliveryId: "dlv_unknown" }),
      await setReplay(store, "running"),
      await endRotation(store, "current"),
      await store.removeSigningKey(who),
      await store.removeRecipient({ ...who, recipientId: "adr_unknown" }),
    ],
    entries: [],
  },
};

export function describeAudit(open: OpenStore): void {
  const test = inStore(open);
  describe("the audit", () => {
    describe("names who did it, when and to what", () => {
      for (const [name, { decide, entries }] of Object.entries(DECISIONS)) {
        test(name, async (store) => {
          await setUpWorld(store);
          await decide(store);
          assert.deepEqual(await listEntries(store), entries);
          const written = (await list(store)).filter(({ atMs }) => atMs > T0);
          for (const { person, role, address, atMs } of written)
            assert.deepEqual([person, role, address, atMs], ["eve", "owner", EVE.address, T0 + 5]);
        });
      }
    });
    describeAuditList(open);
  });
}

function describeAuditList(open: OpenStore): void {
  const test = inStore(open);
  const write = (store: Store, action: AuditAction, subject: string) =>
    store.writeAudit({ accountId, nowMs: T0, by: ADA, action, subject });

  test("a sign-in is written down for whoever signed in", async (store) => {
    await setUp(store, []);
    const link = { accountId, person: "eve", role: "viewer", tokenHash: "link" } as const;
    await store.createSignInLink({ ...link, expiresAtMs: T0 + 9, nowMs: T0 });
    const session = { tokenHash: "link", replacedHash: null, expiresAtMs: T0 + 99, nowMs: T0 + 1, address: "::1" };
    await store.openSession({ ...session, sessionHash: "first", sessionId: "ses_1" });
    await store.openSession({ ...session, sessionHash: "second", sessionId: "ses_2" });
    const [entry, ...others] = await list(store);
    const { action, person, role, address, atMs } = entry ?? {};
    assert.deepEqual([action, person, role, address, atMs], ["signed_in", "eve", "viewer", "::1", T0 + 1]);
    assert.deepEqual(others, []);
    await store.endSession({ sessionHash: "first", address: "::2", nowMs: T0 + 3 });
    assert.deepEqual((await list(store)).map((ended) => [ended.action, ended.address])[0], ["signed_out", "::2"]);
  });

  test("it is read in pages, newest first, each entry once also while others come in", async (store) => {
    for (const n of [1, 2, 3, 4, 5]) await write(store, "webhook_tested", `${n}`);
    const seen: string[] = [];
    let page = await list(store, { limit: 2 });
    while (page.length > 0) {
      seen.push(...page.map(({ subject }) => subject));
      await write(store, "webhook_tested", "new");
      page = await list(store, { limit: 2, before: { seq: page.at(-1)?.seq ?? 0 } });
    }
    assert.deepEqual(seen, ["5", "4", "3", "2", "1"]);
  });

  test("one action's entries can be read alone, in pages too", async (store) => {
    for (const n of [1, 2, 3]) {
      await write(store, "secret_revealed", `${n}`);
      await write(store, "webhook_tested", `${n}`);
    }
    const [newest] = await list(store, { action: "secret_revealed", limit: 1 });
    assert.equal(newest?.subject, "3");
    const before = { seq: newest.seq };
    const older = await list(store, { action: "secret_revealed", before });
    assert.deepEqual(
      older.map(({ subject }) => subject),
      ["2", "1"],
    );
    assert.deepEqual(await list(store, { action: "alert_deleted" }), []);
  });

  test("an account reads its own entries only", async (store) => {
    const theirs = { accountId: "acc_2", action: "webhook_tested", subject: "theirs" } as const;
    await store.writeAudit({ ...theirs, nowMs: T0, by: ADA });
    assert.deepEqual(await list(store), []);
    assert.deepEqual(await list(store, { action: "webhook_tested" }), []);
    assert.equal((await list(store, { accountId: "acc_2" })).length, 1);
  });
}
