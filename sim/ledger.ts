/**
 * The simulator's own book of events, deliveries, claims and configurations, kept from every verb that the store has
 * run. It stands between the nodes' port and the store, so it also knows what a caller never heard of.
 */
import type { StoredAccount, StoredDestination } from "../src/store/contract/accounts.ts";
import type {
  AcceptEvents,
  AcceptedEvent,
  ClaimDueDeliveries,
  ClaimedDelivery,
  NewEvent,
  ReleaseClaims,
  SettleAttempts,
  SettleResult,
  Settlement,
} from "../src/store/contract/path.ts";
import type { Store } from "../src/store/contract/store.ts";
import type { SetDestinationState } from "../src/store/contract/destinations.ts";
import type { RequestResend, ResendResult } from "../src/store/contract/log.ts";
import type { CreateReplay, SetReplayState } from "../src/store/contract/replays.ts";
import type { History } from "./history.ts";
import type { ClaimRecord, DeliveryRecord, EventRecord, Life, ReplayRecord, SendRecord } from "./records.ts";

export type Verb = Exclude<keyof Store, typeof Symbol.asyncDispose>;

/** What is to be noted of a verb; those without an entry only read, or are no part of the event's path. */
type Notes = {
  readonly [Name in Verb]?: (
    life: Life,
    params: Parameters<Store[Name]>[0],
    answer: Awaited<ReturnType<Store[Name]>>,
  ) => Promise<void> | void;
};

type Note = (life: Life, params: unknown, answer: unknown) => Promise<void> | void;

/** A verb that the store has run, with its answer. */
export interface RunVerb {
  readonly verb: Verb;
  readonly params: unknown;
  readonly answer: unknown;
}

export interface ConfigRecord {
  readonly atMs: number;
  readonly account: StoredAccount;
}

export interface Ledger {
  readonly events: ReadonlyMap<string, EventRecord>;
  readonly deliveries: ReadonlyMap<string, DeliveryRecord>;
  readonly sends: readonly SendRecord[];
  readonly replays: ReadonlyMap<string, ReplayRecord>;
  /** Takes in what a verb has done, and tells the history. */
  note(life: Life, run: RunVerb): Promise<void>;
  /** The answer that would have told the caller of this claim got lost. */
  noteUnheard(token: string): void;
  addSend(send: SendRecord): void;
  /** The account's versions, oldest first. */
  configsOf(accountId: string): readonly ConfigRecord[];
  /** The destination as it is set up now. */
  destination(accountId: string, destinationId: string): StoredDestination | null;
  /** When a person turned the destination on last; infinitely long ago when nobody had to. */
  turnedOnAtMs(destinationId: string): number;
  /** Until when the store holds the destination back, on the clock of the node that it told; 0 for not at all. */
  heldUntilMs(destinationId: string): number;
  /** The latest that it has ever been held back until; a hold may end before. */
  longestHoldMs(destinationId: string): number;
  /** Reads the account from the store again. */
  refresh(accountId: string): Promise<void>;
}

export interface LedgerOptions {
  readonly store: Pick<Store, "loadAccount" | "loadDelivery" | "loadReplay">;
  readonly history: () => History;
  readonly nowMs: () => number;
}

export function createLedger({ store, history, nowMs }: LedgerOptions): Ledger {
  const events = new Map<string, EventRecord>();
  const deliveries = new Map<string, DeliveryRecord>();
  const configs = new Map<string, ConfigRecord[]>();
  const heldUntil = new Map<string, number>();
  const longestHold = new Map<string, number>();
  const turnedOn = new Map<string, number>();
  const replays = new Map<string, ReplayRecord>();
  const sends: SendRecord[] = [];

  const notes: Notes = {
    acceptEvents: noteAccepts,
    claimDueDeliveries: noteClaims,
    settleAttemptsIfClaimed: noteSettlements,
    releaseClaims: noteReleases,
    requestResend: noteResend,
    createReplay: noteReplay,
    stepReplays: noteSteps,
    purge: (life, _params, { purged }) =>
      purged > 0 ? history().add({ kind: "purged", life, rows: purged }) : undefined,
    setReplayState: noteReplayState,
    setDestinationState: noteDecision,
    putAccount: (_life, { account }) => refresh(account.id),
    putChatAssistant: (_life, { accountId }) => refresh(accountId),
    saveAlert: (_life, { accountId }) => refresh(accountId),
    saveAssistantDestination: (_life, { accountId }) => refresh(accountId),
  };

  async function refresh(accountId: string): Promise<void> {
    const account = await store.loadAccount({ accountId });
    if (account === null) return;
    const known = configsOf(accountId);
    if (known.at(-1)?.account.configVersion === account.configVersion) return;
    configs.set(accountId, [...known, { atMs: nowMs(), account }]);
    history().add({ kind: "configured", accountId, configVersion: account.configVersion });
  }

  /** Every verb that changes something is noted, so that this is seldom needed. */
  async function refreshTo(accountId: string, versionMin: number): Promise<void> {
    const known = configsOf(accountId).at(-1)?.account.configVersion ?? 0;
    if (known < versionMin) await refresh(accountId);
  }

  const configsOf = (accountId: string): readonly ConfigRecord[] => configs.get(accountId) ?? [];

  async function noteAccepts(life: Life, params: AcceptEvents, answers: readonly AcceptedEvent[]): Promise<void> {
    for (const [index, event] of params.events.entries()) {
      const answer = answers[index];
      if (answer?.kind !== "accepted") {
        if (answer !== undefined) history().add({ kind: "not_committed", life, why: answer.kind });
        continue;
      }
      await refreshTo(event.accountId, event.configVersion);
      commitEvent(life, params, { event, unclaimed: answer.unclaimed });
    }
  }

  function commitEvent(
    life: Life,
    { claim, nowMs: nodeNowMs }: AcceptEvents,
    { event, unclaimed }: { event: NewEvent; unclaimed: readonly string[] },
  ): void {
    const account = configsOf(event.accountId).at(-1)?.account;
    if (account === undefined) throw new Error(`event ${event.id} was committed for no account`);
    const created = event.deliveries.map(({ id, destinationId }) =>
      deliveryOf({ id, destinationId, event, createdAtMs: nowMs(), dueAtMs: nodeNowMs }),
    );
    const record = { event, committedAtMs: nowMs(), account, deliveries: created };
    events.set(event.id, record);
    for (const delivery of created) deliveries.set(delivery.id, delivery);
    history().add({ kind: "committed", life, record });
    for (const { id, claimed } of event.deliveries) {
      if (!claimed || unclaimed.includes(id)) continue;
      const { configVersion } = event;
      take(id, { ...claim, life, nodeNowMs, wasDueAtMs: null, isProbe: false, configVersion });
    }
  }

  async function noteClaims(
    life: Life,
    params: ClaimDueDeliveries,
    claimed: readonly ClaimedDelivery[],
  ): Promise<void> {
    for (const { id, accountId, destinationId, configVersion, claim, isProbe } of claimed) {
      await refreshTo(accountId, configVersion);
      const wasDueAtMs = deliveries.get(id)?.dueAtMs ?? null;
      take(id, { ...claim, life, nodeNowMs: params.nowMs, wasDueAtMs, isProbe, configVersion });
      if (isProbe) hold(destinationId, claim.untilMs);
    }
  }

  function take(id: string, claimed: Omit<ClaimRecord, "takenAtMs" | "isKnown" | "end">): void {
    const delivery = deliveries.get(id);
    if (delivery === undefined) throw new Error(`the store gave out the delivery ${id}, which nobody has committed`);
    const previous = delivery.claim;
    if (previous !== null) previous.end = "taken_over";
    const claim: ClaimRecord = { ...claimed, takenAtMs: nowMs(), isKnown: true, end: null };
    delivery.claim = claim;
    delivery.claims.push(claim);
    delivery.dueAtMs = claim.untilMs;
    history().add({ kind: "claimed", delivery, claim, previous });
  }

  async function noteSettlements(life: Life, params: SettleAttempts, answers: readonly SettleResult[]): Promise<void> {
    for (const [index, settlement] of params.settlements.entries()) {
      const delivery = deliveries.get(settlement.deliveryId);
      if (delivery === undefined) throw new Error(`nobody has committed the delivery ${settlement.deliveryId}`);
      const fact = { kind: "settled", life, delivery, settlement, held: delivery.claim } as const;
      const stateBefore = delivery.state;
      const answer = answers[index];
      const isWritten = answer?.kind === "settled";
      if (isWritten) write(life, delivery, settlement);
      if (isWritten) hold(delivery.destinationId, answer.heldUntilMs);
      history().add({ ...fact, stateBefore, isWritten });
      // Any failure may have turned the destination off.
      if (isWritten && settlement.next.state !== "delivered") await refresh(delivery.event.accountId);
    }
  }

  function write(life: Life, delivery: DeliveryRecord, settlement: Settlement): void {
    const { next } = settlement;
    delivery.state = next.state;
    if (next.state === "pending") delivery.dueAtMs = next.dueAtMs;
    if (next.state === "pending" && settlement.isFree) delivery.attemptsBefore += 1;
    if (delivery.claim !== null) delivery.claim.end = "settled";
    delivery.claim = null;
    delivery.settlements.push({ settlement, life, atMs: nowMs() });
  }

  function noteReleases(life: Life, { claims, dueAtMs }: ReleaseClaims, { released }: { released: number }): void {
    const given: ClaimRecord[] = [];
    const back: DeliveryRecord[] = [];
    for (const { deliveryId, claimToken } of claims) {
      const delivery = deliveries.get(deliveryId);
      if (delivery === undefined || delivery.claim?.token !== claimToken) continue;
      delivery.claim.end = "released";
      // A probe that is given back lets the next one out.
      if (delivery.claim.isProbe) hold(delivery.destinationId, dueAtMs);
      given.push(delivery.claim);
      back.push(delivery);
      delivery.claim = null;
      delivery.dueAtMs = dueAtMs;
    }
    history().add({ kind: "released", life, claims: given, deliveries: back, released });
  }

  function hold(destinationId: string, untilMs: number): void {
    heldUntil.set(destinationId, untilMs);
    longestHold.set(destinationId, Math.max(untilMs, longestHold.get(destinationId) ?? 0));
  }

  function noteResend(life: Life, { deliveryId, by, nowMs: nodeNowMs }: RequestResend, answer: ResendResult): void {
    const delivery = deliveries.get(deliveryId);
    if (answer !== "queued" || delivery === undefined) return;
    reopen(life, delivery, { dueAtMs: nodeNowMs, actor: by.person });
  }

  function reopen(life: Life, delivery: DeliveryRecord, by: { dueAtMs: number; actor: string }): void {
    const stateBefore = delivery.state;
    Object.assign(delivery, { state: "pending", dueAtMs: by.dueAtMs, reopenedAtMs: nowMs() });
    delivery.attemptsBefore = delivery.settlements.length;
    history().add({ kind: "reopened", life, delivery, stateBefore, actor: by.actor });
  }

  function noteReplay(_life: Life, params: CreateReplay, answer: { deliveries: number } | { refused: string }): void {
    if ("refused" in answer) return;
    const { accountId, id, by } = params;
    replays.set(id, {
      accountId,
      id,
      actor: by.person,
      deliveries: answer.deliveries,
      moved: 0,
      skipped: 0,
      state: "running",
    });
  }

  /** The answer says only how many: which ones, their rows say. */
  async function noteSteps(life: Life, _params: unknown, { moved }: { moved: number }): Promise<void> {
    for (const replay of replays.values()) {
      const row = await store.loadReplay({ accountId: replay.accountId, replayId: replay.id });
      if (row !== null && replay.state !== "cancelled") Object.assign(replay, row);
    }
    if (moved === 0) return;
    let found = 0;
    for (const delivery of deliveries.values()) {
      if (delivery.state === "pending") continue;
      const row = await store.loadDelivery({ accountId: delivery.event.accountId, deliveryId: delivery.id });
      if (row?.state !== "pending") continue;
      found += 1;
      reopen(life, delivery, { dueAtMs: row.dueAtMs ?? 0, actor: row.resentBy ?? "" });
    }
    history().add({ kind: "stepped", life, moved, found });
  }

  function noteReplayState(_life: Life, { replayId, state }: SetReplayState, answer: string): void {
    const replay = replays.get(replayId);
    if (replay !== undefined && answer === "changed") replay.state = state;
  }

  /** A person also turns on a destination that is on and only held back: its breaker closes, no version changes. */
  async function noteDecision(_life: Life, params: SetDestinationState, answer: string): Promise<void> {
    const { accountId, destinationId, state } = params;
    await refresh(accountId);
    if (state !== "on" || answer !== "changed") return;
    heldUntil.delete(destinationId);
    turnedOn.set(destinationId, nowMs());
  }

  function current(accountId: string, destinationId: string): StoredDestination | null {
    const account = configsOf(accountId).at(-1)?.account;
    const owners = [...(account?.alerts ?? []), ...(account?.assistants ?? [])];
    return owners.find(({ destination }) => destination?.id === destinationId)?.destination ?? null;
  }

  return {
    events,
    deliveries,
    sends,
    replays,
    async note(life, { verb, params, answer }) {
      // The params and the answer are this verb's own.
      await (notes[verb] as Note | undefined)?.(life, params, answer);
    },
    noteUnheard(token) {
      for (const { claim } of deliveries.values()) if (claim?.token === token) claim.isKnown = false;
    },
    addSend(send) {
      sends.push(send);
      deliveries.get(send.deliveryId)?.sends.push(send);
    },
    configsOf,
    destination: current,
    turnedOnAtMs: (destinationId) => turnedOn.get(destinationId) ?? -Infinity,
    longestHoldMs: (destinationId) => longestHold.get(destinationId) ?? 0,
    heldUntilMs: (destinationId) => heldUntil.get(destinationId) ?? 0,
    refresh,
  };
}

function deliveryOf(
  created: Pick<DeliveryRecord, "id" | "destinationId" | "event" | "createdAtMs" | "dueAtMs">,
): DeliveryRecord {
  return {
    ...created,
    reopenedAtMs: null,
    attemptsBefore: 0,
    state: "pending",
    claim: null,
    claims: [],
    sends: [],
    settlements: [],
  };
}
