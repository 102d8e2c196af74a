/** What intake tells about itself. Metrics and traces are made from it in `observe/`; this folder knows neither. */
import type { RequestTrace } from "../delivery/accept.ts";

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
