/** Notes committed events with their deliveries, and the claims that came with them. */
import type { AcceptEvents, NewEvent } from "../../src/store/contract/path.ts";
import type { DeliveryRecord, Life } from "../records.ts";
import type { Books, Run } from "./books.ts";
import { noteClaim } from "./note-claims.ts";

export async function noteAccepts(books: Books, { life, shard, params, answer }: Run<"acceptEvents">): Promise<void> {
  for (const [index, event] of params.events.entries()) {
    const accepted = answer[index];
    if (accepted?.kind === "accepted") {
      await books.configs.refreshTo(event.accountId, event.configVersion);
      noteCommit(books, { life, shard, params, event, unclaimed: accepted.unclaimed });
    } else if (accepted !== undefined) {
      books.history().add({ kind: "not_committed", life, why: accepted.kind });
    }
  }
}

interface Commit {
  readonly life: Life;
  readonly shard: string;
  readonly params: AcceptEvents;
  readonly event: NewEvent;
  /** Deliveries that were to be claimed at once, and were not. */
  readonly unclaimed: readonly string[];
}

function noteCommit(books: Books, { life, shard, params, event, unclaimed }: Commit): void {
  const { claim, nowMs: nodeNowMs } = params;
  const account = books.configs.latest(event.accountId);
  if (account === null) throw new Error(`event ${event.id} was committed for no account`);
  const committedAtMs = books.nowMs();
  const deliveries = event.deliveries.map(({ id, destinationId }) =>
    toDelivery({ id, destinationId, event, createdAtMs: committedAtMs, dueAtMs: nodeNowMs }),
  );
  const record = { event, committedAtMs, account, deliveries };
  books.events.set(event.id, record);
  for (const delivery of deliveries) books.deliveries.set(delivery.id, delivery);
  books.history().add({ kind: "committed", life, record });
  for (const { id, claimed } of event.deliveries) {
    if (!claimed || unclaimed.includes(id)) continue;
    const { configVersion } = event;
    noteClaim(books, id, { ...claim, life, shard, nodeNowMs, wasDueAtMs: null, isTrial: false, configVersion });
  }
}

function toDelivery(
  created: Pick<DeliveryRecord, "id" | "destinationId" | "event" | "createdAtMs" | "dueAtMs">,
): DeliveryRecord {
  return {
    ...created,
    reopenedAtMs: null,
    hurriedAtMs: null,
    goesFirst: false,
    attemptsBefore: 0,
    state: "pending",
    claim: null,
    claims: [],
    sends: [],
    settlements: [],
  };
}
