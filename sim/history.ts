/**
 * The facts of a run, in order. They are told to listeners (invariants, `sometimes`), hashed for the determinism
 * check, and kept as lines for the report of a failure.
 */
import { type Hash, createHash } from "node:crypto";
import { START_MS } from "../test/kit/world/virtual-clock.ts";
import type { Acceptance } from "../src/delivery/accept.ts";
import type { Settlement } from "../src/store/contract/path.ts";
import type { Step } from "../src/store/postgres/shards/move/move-account.ts";
import type { ClaimRecord, DeliveryRecord, EventRecord, Life, SendRecord, SourceRecord } from "./records.ts";

export type Fact =
  /** An event with its deliveries is on disk, whether the caller will hear of it or not. */
  | { readonly kind: "committed"; readonly life: Life; readonly record: EventRecord }
  /** The store knew the source id, or found that the configuration is newer. */
  | { readonly kind: "not_committed"; readonly life: Life; readonly why: "duplicate" | "config_changed" }
  | {
      readonly kind: "claimed";
      readonly delivery: DeliveryRecord;
      readonly claim: ClaimRecord;
      /** The claim that was held until now. */
      readonly previous: ClaimRecord | null;
    }
  /** A settlement reached the store. `held`: the claim under which the delivery was held then. */
  | {
      readonly kind: "settled";
      readonly life: Life;
      readonly delivery: DeliveryRecord;
      readonly settlement: Settlement;
      readonly held: ClaimRecord | null;
      readonly stateBefore: DeliveryRecord["state"];
      readonly isWritten: boolean;
    }
  | {
      readonly kind: "released";
      readonly life: Life;
      /** Those of them that were held. */
      readonly claims: readonly ClaimRecord[];
      readonly deliveries: readonly DeliveryRecord[];
      readonly released: number;
    }
  | {
      readonly kind: "store_failed";
      readonly life: Life;
      readonly verb: string;
      readonly how: "before_commit" | "reply_lost" | "away" | "own_fault";
      readonly detail: string;
    }
  /** Several calls of a verb travelled as one commit; `patient` of them had waited for company. */
  | {
      readonly kind: "shared";
      readonly life: Life;
      readonly verb: string;
      readonly calls: number;
      readonly patient: number;
      readonly fault: string | null;
    }
  /** A person's resend, or a replay's: an ended delivery is pending again. */
  | {
      readonly kind: "reopened";
      readonly life: Life;
      readonly delivery: DeliveryRecord;
      readonly stateBefore: DeliveryRecord["state"];
      readonly actor: string;
    }
  /** The store's process died. `open`: deliveries that nodes had in memory and that had no row. */
  | { readonly kind: "memory_lost"; readonly open: number }
  /** Retention: this number of rows have lost their payload or answer, or are gone. */
  | { readonly kind: "purged"; readonly life: Life; readonly rows: number }
  /** A step of the replays. `found`: deliveries that it has made pending, counted by their rows. */
  | { readonly kind: "stepped"; readonly life: Life; readonly moved: number; readonly found: number }
  /** A node heard that its change of an account is committed, and so will the person who asked for it. */
  | {
      readonly kind: "change_answered";
      readonly life: Life;
      readonly verb: string;
      readonly accountId: string;
      readonly configVersion: number;
    }
  /** A shard of another version than the nodes': an opening found that it may not be migrated yet, or it was. */
  | { readonly kind: "schema"; readonly shard: string; readonly what: "refused" | "migrated" }
  /** A call was made in a shard of another version. */
  | { readonly kind: "misused"; readonly life: Life; readonly verb: string; readonly shard: string }
  /** A move of an account, or a call that met one. `by`: a life of a node, or of a process that moves. */
  | {
      readonly kind: "moving";
      readonly by: string;
      readonly accountId: string;
      readonly what: MoveEvent;
      readonly detail: string;
    }
  | { readonly kind: "mover_failed"; readonly by: string; readonly error: unknown }
  | { readonly kind: "configured"; readonly accountId: string; readonly configVersion: number }
  | { readonly kind: "send_started"; readonly send: SendRecord }
  | { readonly kind: "received"; readonly send: SendRecord; readonly status: number }
  | { readonly kind: "send_ended"; readonly send: SendRecord }
  | {
      readonly kind: "answered";
      readonly life: Life;
      readonly record: SourceRecord;
      readonly acceptance: Acceptance;
    }
  | { readonly kind: "not_answered"; readonly life: Life; readonly record: SourceRecord; readonly why: string }
  | { readonly kind: "life"; readonly life: Life; readonly what: LifeEvent; readonly detail: string }
  /** The engine's own report. */
  | { readonly kind: "told"; readonly life: Life; readonly what: "attempted" | "claim_lost"; readonly about: string }
  | { readonly kind: "told_accepted"; readonly life: Life; readonly accepted: number; readonly duplicates: number }
  | { readonly kind: "told_failed"; readonly life: Life; readonly what: string; readonly error: unknown }
  | { readonly kind: "healed" };

/** Behind which step, or how it went; `waited` and `elsewhere` are what a node's call met. */
export type MoveEvent = Step | "begins" | "ends" | "takes back" | "died" | "paused" | "waited" | "elsewhere";

type LifeEvent = "started" | "crashed" | "paused" | "clock_set" | "stopping" | "stopped";

export interface History {
  add(fact: Fact): void;
  /** The trace so far, as a hash: two runs of a seed must end with the same one. */
  hash(): string;
  /** The facts as lines; with `about`, only those that name it and those about whole nodes. */
  lines(about?: string): readonly string[];
}

export function createHistory(nowMs: () => number, listeners: readonly ((fact: Fact) => void)[]): History {
  const hash: Hash = createHash("sha256");
  const lines: { readonly text: string; readonly isAboutNodes: boolean }[] = [];
  return {
    add(fact) {
      const text = `${secondsText(nowMs() - START_MS)} ${toLine(fact)}`;
      hash.update(text).update("\n");
      lines.push({ text, isAboutNodes: fact.kind === "life" || fact.kind === "healed" });
      for (const listen of listeners) listen(fact);
    },
    hash: () => hash.copy().digest("hex"),
    lines: (about = "") =>
      lines.filter(({ text, isAboutNodes }) => isAboutNodes || text.includes(about)).map(({ text }) => text),
  };
}

const secondsText = (ms: number): string => `${(ms / 1000).toFixed(3)}s`.padStart(12);

function toLine(fact: Fact): string {
  switch (fact.kind) {
    case "committed":
      return `${fact.life.name} event ${fact.record.event.id} committed${deliveriesText(fact.record.deliveries)}`;
    case "not_committed":
      return `${fact.life.name} event not committed: ${fact.why}`;
    case "claimed":
      return claimedLine(fact);
    case "settled":
      return settledLine(fact);
    case "released":
      return `${fact.life.name} gives back ${fact.released}:${deliveriesText(fact.deliveries)}`;
    case "store_failed":
      return `${fact.life.name} ${fact.verb} fails: ${fact.how} ${fact.detail}`;
    case "shared":
      return `${fact.life.name} ${fact.calls} ${fact.verb} share a commit, ${fact.patient} had waited: ${fact.fault}`;
    case "reopened":
      return `${fact.actor} (${fact.life.name}) makes ${fact.delivery.id} pending again, which was ${fact.stateBefore}`;
    case "purged":
      return `${fact.life.name} purges ${fact.rows} rows`;
    case "memory_lost":
      return `the store's process dies with ${fact.open} open`;
    case "stepped":
      return `${fact.life.name} moves replays on by ${fact.moved}`;
    case "change_answered":
      return `${fact.life.name} ${fact.verb} answered: account ${fact.accountId} is at ${fact.configVersion}`;
    case "schema":
      return `the schema of shard ${fact.shard}: ${fact.what}`;
    case "misused":
      return `${fact.life.name} makes ${fact.verb} in shard ${fact.shard}, which has another schema`;
    case "moving":
      return `${fact.by} moves ${fact.accountId}: ${fact.what} ${fact.detail}`;
    case "mover_failed":
      return `${fact.by} fails: ${String(fact.error)}`;
    case "configured":
      return `account ${fact.accountId} is at version ${fact.configVersion}`;
    case "send_started":
      return `${sendText(fact.send)} starts for ${fact.send.deliveryId} to ${fact.send.request.url.href}`;
    case "received":
      return `${sendText(fact.send)} reaches the receiver, which answers ${fact.status} (${fact.send.deliveryId})`;
    case "send_ended":
      return `${sendText(fact.send)} ends: ${outcomeText(fact.send)} (${fact.send.deliveryId})`;
    case "answered":
      return answeredLine(fact);
    case "not_answered":
      return `${fact.life.name} refuses record ${fact.record.number}: ${fact.why}`;
    case "life":
      return `${fact.life.name} ${fact.what} ${fact.detail}`;
    case "told":
      return `${fact.life.name} tells: ${fact.what} ${fact.about}`;
    case "told_accepted":
      return `${fact.life.name} tells: accepted ${fact.accepted}, duplicates ${fact.duplicates}`;
    case "told_failed":
      return `${fact.life.name} tells: ${fact.what} failed: ${String(fact.error)}`;
    case "healed":
      return "---------- the faults end ----------";
  }
}

function claimedLine({ delivery, claim, previous }: Extract<Fact, { kind: "claimed" }>): string {
  const from = previous === null ? "" : ` from ${previous.life.name}, whose claim ran out`;
  const until = `until ${claim.untilMs - START_MS} ms${claim.isTrial ? ", a trial" : ""}`;
  return `${claim.life.name} holds ${delivery.id} (${claim.token}, ${until})${from}`;
}

function settledLine({ life, delivery, settlement, isWritten }: Extract<Fact, { kind: "settled" }>): string {
  const next = settlement.next.state === "pending" ? `due ${settlement.next.dueAtMs - START_MS} ms` : "";
  const what = `attempt ${settlement.attempt.number} ${settlement.next.state} ${next}`;
  const answer = isWritten ? "done" : "refused";
  return `${life.name} settles ${delivery.id} ${what} (${settlement.claimToken}): ${answer}`;
}

function answeredLine({ life, record, acceptance }: Extract<Fact, { kind: "answered" }>): string {
  const { eventId, deliveries, duplicate } = acceptance;
  return `${life.name} answers record ${record.number}: ${eventId} ${deliveries} ${duplicate ? "duplicate" : "new"}`;
}

const deliveriesText = (deliveries: readonly DeliveryRecord[]): string => deliveries.map(({ id }) => ` ${id}`).join("");

const sendText = ({ life, number }: SendRecord): string => `${life.name} send ${number}`;

function outcomeText({ result }: SendRecord): string {
  if (result === null) return "nothing";
  const { outcome } = result;
  if (outcome.kind === "response") return `${outcome.response.status} ${outcome.response.headers["retry-after"] ?? ""}`;
  return "phase" in outcome ? `${outcome.kind} ${outcome.phase}` : outcome.kind;
}
