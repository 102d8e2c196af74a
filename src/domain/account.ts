/** An account of the product: the unit that owns alerts, assistants, one verification secret, and its own data. */
import type { Plan } from "./plan.ts";

export interface Account {
  /** The product's own id for it: 1 to 128 characters of `A-Z a-z 0-9 . _ : -`. */
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Base address of the product's web application, without a slash at the end; links in payloads start with it. */
  readonly appUrl: string;
}
