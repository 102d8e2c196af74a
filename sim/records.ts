/**
 * A run's memory of itself, as plain records: the simulator's own knowledge of what was committed, claimed, sent
 * and received. It is kept from what passes the ports, never from what an engine says of itself.
 */
import type { AttemptResult, SendResult } from "../src/domain/attempt.ts";
import type { DeliveryState } from "../src/domain/delivery.ts";
import type { ReplayState } from "../src/domain/replay.ts";
import type { WebhookRequest } from "../src/delivery/send/request.ts";
import type { StoredAccount, StoredDestination } from "../src/store/contract/accounts.ts";
import type { NewEvent, Settlement } from "../src/store/contract/path.ts";
import type { Process } from "./simulator.ts";

/** One life of a node: what a crash ends. */
export interface Life extends Process {
  /** Such as `b.3`: the third life of node b. */
  readonly name: string;
  hasCrashed: boolean;
  isStopping: boolean;
  /** The time on its clock. */
  nowMs(): number;
}

export interface EventRecord {
  readonly event: NewEvent;
  readonly committedAtMs: number;
  /** The configuration that it was committed under. */
  readonly account: StoredAccount;
  readonly deliveries: readonly DeliveryRecord[];
}

export interface DeliveryRecord {
  readonly id: string;
  readonly event: NewEvent;
  readonly destinationId: string;
  readonly createdAtMs: number;
  /** When a person had it sent again last; `null`: never. */
  reopenedAtMs: number | null;
  /** When a person wanted it sent now last, while it waited; `null`: never. */
  hurriedAtMs: number | null;
  /** Attempts made before it was sent again, and free ones: the schedule does not count them. */
  attemptsBefore: number;
  state: DeliveryState;
  /** As the store keeps it: when it is due, or when its claim runs out. */
  dueAtMs: number;
  /** A person had it sent again: it is due before all others of its destination, and so maybe before `dueAtMs`. */
  goesFirst: boolean;
  claim: ClaimRecord | null;
  readonly claims: ClaimRecord[];
  readonly sends: SendRecord[];
  /** Settlements that the store has taken. */
  readonly settlements: SettlementRecord[];
}

export interface ClaimRecord {
  readonly token: string;
  /** The shard that gave it out. */
  readonly shard: string;
  readonly life: Life;
  /** On the clock of the life that took it. */
  readonly untilMs: number;
  readonly takenAtMs: number;
  /** The delivery's due time until then, on the same clock as `nodeNowMs`; `null` when it was claimed in its accept. */
  readonly wasDueAtMs: number | null;
  readonly nodeNowMs: number;
  /** The one attempt that an open breaker lets through. */
  readonly isTrial: boolean;
  /** The account's version that came with the claim. */
  readonly configVersion: number;
  /** False when the answer that brought it got lost: the node does not know that it holds anything. */
  isKnown: boolean;
  end: "settled" | "released" | "taken_over" | null;
}

export interface SendRecord {
  /** 1 for the first of the run. */
  readonly number: number;
  readonly life: Life;
  readonly deliveryId: string;
  readonly destinationId: string;
  /** `null`: the node holds no claim that it has not sent under yet, which no engine may do. */
  readonly claim: ClaimRecord | null;
  /** The node holds several claims of it, and which one this is shows only when it settles. */
  readonly isClaimGuessed: boolean;
  readonly request: WebhookRequest;
  readonly startedAtMs: number;
  readonly nodeStartedMs: number;
  endedAtMs: number | null;
  /** The sender's clock when it got the result. */
  nodeEndedMs: number | null;
  result: SendResult | null;
  /** The receiver has taken it and answered 2xx, whether the sender knows or not. */
  wasTaken: boolean;
  /** Calls to settle it that the node has made, whatever became of them. */
  settleCalls: number;
}

/** A replay as the store had it after its last step. */
export interface ReplayRecord {
  readonly accountId: string;
  readonly id: string;
  readonly actor: string;
  readonly deliveries: number;
  moved: number;
  skipped: number;
  state: ReplayState;
}

export interface SettlementRecord {
  readonly settlement: Settlement;
  readonly life: Life;
  readonly atMs: number;
}

/** A product's record: what must become exactly one event. */
export interface SourceRecord {
  /** Its place in the run, for the trace. */
  readonly number: number;
  readonly accountId: string;
  readonly sourceId: string;
}

/** Every destination of an account, whoever owns it. */
export const listDestinations = ({ alerts, assistants, webhooks }: StoredAccount): readonly StoredDestination[] =>
  [...alerts, ...assistants, ...webhooks].flatMap(({ destination }) => destination ?? []);

/** The sender saw a success. */
export function sawSuccess({ result }: SendRecord): boolean {
  return result !== null && isTaken(result);
}

/** The attempt says nothing about the receiver; also written here again. */
export function isUnsent({ outcome }: Pick<AttemptResult, "outcome">): boolean {
  return outcome.kind === "internal_error" || (outcome.kind === "proxy_error" && outcome.code === "PROXY_UNREACHABLE");
}

/** Only 200 to 299, written here again because the engine's own idea of it is under test. */
export function isTaken({ outcome }: Pick<AttemptResult, "outcome">): boolean {
  return outcome.kind === "response" && outcome.response.status >= 200 && outcome.response.status < 300;
}
