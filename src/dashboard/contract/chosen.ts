/** What is done with many webhooks at once, and what each of them says to it. */
import type { FormOf } from "../../domain/form.ts";
import type { Owner } from "../../domain/event.ts";
import type { chosenStepForm } from "../forms/bodies.ts";

export type ChosenStep = FormOf<typeof chosenStepForm>["change"];

/** One of them; `refusal` says in words why it is as it was, `null` when the step was done. */
export interface ChangedOne extends Owner {
  readonly refusal: string | null;
}

export interface ChangedMany {
  readonly results: readonly ChangedOne[];
}

interface Counted {
  readonly name: string;
  readonly count: number;
}

export interface ChosenHosts {
  /** Scheme, host and port, the most frequent first. */
  readonly hosts: readonly Counted[];
  /** Names of secret headers: their saved values stay with the host that they were saved for. */
  readonly secretHeaders: readonly Counted[];
  /** How many have an access token or a client certificate, which are entered again one by one. */
  readonly authenticated: number;
  /** How many have no URL: none yet, or a program asks. */
  readonly withoutUrl: number;
}
