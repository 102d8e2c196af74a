/** The input and the words of an explanation. */
import type { SendResult } from "../../domain/attempt.ts";
import type { OutcomeClass } from "../contract/outcomes.ts";

export interface MetRequest {
  readonly result: SendResult;
  readonly startedAtMs: number;
  /** As it was called. */
  readonly url: string;
  /** The length of the request's body. */
  readonly bodyBytes: number | null;
  readonly isTest: boolean;
  /** Made just now: nothing of it can have been deleted yet. */
  readonly isFresh: boolean;
}

/** A request as its words need it. */
export interface Told extends MetRequest {
  readonly host: string;
  readonly port: number;
  /** The name of what was sent: "the test" or "the webhook". */
  readonly it: string;
}

export interface Words {
  readonly class: OutcomeClass;
  readonly status: string;
  readonly sentence: string;
  readonly advice: string;
  readonly redirectUrl?: string | null;
}
