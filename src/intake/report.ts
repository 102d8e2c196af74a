/** The facts that intake reports. `observe/` makes metrics and traces of them; this folder knows neither. */
import type { RequestTrace } from "../delivery/accept.ts";
import type { Problem } from "../domain/problem.ts";

export interface AnsweredFact {
  readonly method: string;
  /** With parameters as `:account_id`. */
  readonly route: string;
  readonly status: number;
  /** From the request's headers to the answer's last byte. */
  readonly durationMs: number;
}

export interface IntakeReport {
  /** A call with a good key was answered, whatever the answer. */
  answered(fact: AnsweredFact): void;
  /** The trace that the caller's headers name, or a new one; `null` when this call is not traced. */
  begin(headers: Readonly<Record<string, unknown>>): IntakeTrace | null;
}

export interface IntakeTrace extends RequestTrace {
  answered(fact: AnsweredFact): void;
}

/** The facts that the inbox reports. An accepted record is also reported as any other event. */
export interface InboxReport {
  /** A record has become an event, or its event was known before. */
  taken(fact: { readonly type: string; readonly duplicate: boolean }): void;
  /** A record will never be an event; it is stored with its reason. */
  refused(fact: {
    readonly seq: number;
    readonly accountId: string;
    readonly type: string;
    readonly problem: Problem;
  }): void;
  /** A bug threw; the same work is tried again. */
  failed(fact: { readonly what: string; readonly error: unknown }): void;
}
