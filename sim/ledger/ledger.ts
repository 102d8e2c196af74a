/**
 * The simulator's own book of events, deliveries, claims and configurations, kept from every verb that the store has
 * run. It stands between the nodes' port and the store, so it also knows an answer that never reached its caller.
 */
import type { DeliveryRecord, EventRecord, Life, ReplayRecord, SendRecord } from "../records.ts";
import { type Books, type LedgerParams, type Run, type Verb, createBooks } from "./books.ts";
import type { Configs } from "./configs.ts";
import type { Holds } from "./holds.ts";
import { noteAccepts } from "./note-accepts.ts";
import { noteClaims, noteReleases } from "./note-claims.ts";
import {
  noteDecision,
  noteReplay,
  noteReplayState,
  noteResends,
  noteSetUp,
  noteSteps,
  noteWaitingSent,
} from "./note-reopenings.ts";
import { noteSettlements } from "./note-settlements.ts";

export interface Ledger {
  readonly events: ReadonlyMap<string, EventRecord>;
  readonly deliveries: ReadonlyMap<string, DeliveryRecord>;
  readonly sends: readonly SendRecord[];
  readonly replays: ReadonlyMap<string, ReplayRecord>;
  readonly configs: Pick<Configs, "versions" | "latest" | "destination" | "refresh">;
  readonly holds: Pick<Holds, "turnedOnAtMs" | "heldUntilMs" | "longestHoldMs">;
  /** Takes in what a verb has done, and tells the history. */
  note(life: Life, run: RunVerb): Promise<void>;
  /** The answer that would have told the caller about its claims in a shard got lost. */
  noteUnheard(token: string, shard: string): void;
  addSend(send: SendRecord): void;
}

/** A verb that the store has run, with its answer. */
export interface RunVerb {
  readonly verb: Verb;
  readonly shard: string;
  readonly elsewhere: readonly string[];
  readonly params: unknown;
  readonly answer: unknown;
}

/** Verbs without an entry only read, or are no part of the event's path. */
const NOTES: { readonly [Name in Verb]?: (books: Books, run: Run<Name>) => Promise<void> | void } = {
  acceptEvents: noteAccepts,
  claimDueDeliveries: noteClaims,
  settleAttemptsIfClaimed: noteSettlements,
  releaseClaims: noteReleases,
  requestResends: noteResends,
  sendWaiting: noteWaitingSent,
  createReplay: noteReplay,
  stepReplays: noteSteps,
  setReplayState: noteReplayState,
  setDestinationState: noteDecision,
  purge({ history }, { life, answer }) {
    if (answer.purged > 0) history().add({ kind: "purged", life, rows: answer.purged });
  },
  putAccount: ({ configs }, { params }) => configs.refresh(params.account.id),
  putChatAssistant: ({ configs }, { params }) => configs.refresh(params.accountId),
  saveAlert: noteSetUp,
  saveAssistantDestination: noteSetUp,
  saveWebhook: noteSetUp,
};

type Note = (
  books: Books,
  run: { life: Life; shard: string; params: unknown; answer: unknown },
) => Promise<void> | void;

export function createLedger(options: LedgerParams): Ledger {
  const books = createBooks(options);
  const { events, deliveries, sends, replays, configs, holds } = books;
  return {
    events,
    deliveries,
    sends,
    replays,
    configs,
    holds,
    async note(life, { verb, ...run }) {
      // The params and the answer are this verb's own.
      await (NOTES[verb] as Note | undefined)?.(books, { life, ...run });
    },
    noteUnheard(token, shard) {
      for (const { claim } of deliveries.values())
        if (claim?.token === token && claim.shard === shard) claim.isKnown = false;
    },
    addSend(send) {
      sends.push(send);
      deliveries.get(send.deliveryId)?.sends.push(send);
    },
  };
}
