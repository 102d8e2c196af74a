/** The result of a doctor's check. Only "bad" keeps the service from running; a person judges a warning. */
import type { Resolver } from "../../egress/resolver.ts";
import type { Clock } from "../../lib/clock.ts";

export interface Finding {
  readonly level: "fine" | "warning" | "bad";
  /** One sentence. */
  readonly text: string;
  /** Advice or particulars, one line each. */
  readonly details: readonly string[];
}

/** The outside world of the checks, so that a test can bring its own. */
export interface DoctorContext {
  readonly clock: Clock;
  readonly resolver: Resolver;
}

export const fine = (text: string, details: readonly string[] = []): Finding => ({ level: "fine", text, details });
export const warning = (text: string, ...details: string[]): Finding => ({ level: "warning", text, details });
/** `why`: the value of `HELD_SETTING`; `null`: it is not held. */
export const findingsOfHold = (why: string | null): Finding[] =>
  why === null
    ? []
    : [warning(`The installation is held: ${why}.`, "Nothing is accepted or sent until `bellwire adopt`.")];
export const bad = (text: string, ...details: string[]): Finding => ({ level: "bad", text, details });
