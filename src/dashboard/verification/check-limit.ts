/** How many signatures the people of an account may have checked in a minute. */
import { createTryCounter } from "../../http/try-counter.ts";
import type { Clock } from "../../lib/clock.ts";
import { minutesMs } from "../../lib/duration.ts";

/** Guess: people read the result of each check. The check of a large body blocks the node for 30 ms. */
export const CHECKS_PER_MINUTE_MAX = 60;

/** A function to call with the account of each check; true when it has had too many. */
export const createCheckLimit = (clock: Clock): ((accountId: string) => boolean) =>
  createTryCounter({ clock, triesMax: CHECKS_PER_MINUTE_MAX, windowMs: minutesMs(1) });
