/** The facts that a bridge reports; `facts.ts` makes log lines and metrics of them. */
import type { Fault } from "./port.ts";

export interface RefusedFact {
  /** `null` when the message named none. */
  readonly accountId: string | null;
  readonly event: string | null;
  /** The message's subject. */
  readonly origin: string;
  readonly line: number;
  readonly fault: Fault;
}

export interface HeldFact {
  readonly accountId: string;
  readonly event: string;
  readonly reason: string;
  readonly pauseMs: number;
  /** From 1, without a success between. */
  readonly failures: number;
}

export interface BridgeReport {
  pulled(messages: number): void;
  /** Records that are events now, or were before. */
  forwarded(fact: { readonly event: string; readonly accepted: number; readonly duplicates: number }): void;
  /** A record that will never be an event; it goes to the dead letters. */
  refused(fact: RefusedFact): void;
  acknowledged(messages: number): void;
  gaveBack(messages: number): void;
  /** Records of one account and event wait, because Bellwire did not take them. */
  heldBack(fact: HeldFact): void;
  /** All records that were held back move again. */
  resumed(): void;
  /** A call of the broker failed, and is made again. */
  brokerFailed(fact: { readonly what: string; readonly error: unknown }): void;
}
