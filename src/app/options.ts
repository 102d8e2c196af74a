/** Everything that the program is made from: its configuration and keys, and what tests replace. */
import type { Keys } from "../config/keys.ts";
import type { Config } from "../config/options.ts";
import type { RetrySchedule } from "../domain/retry-schedule.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Log } from "../observe/log.ts";

export interface AppOptions {
  readonly config: Config;
  readonly keys: Keys;
  readonly log: Log;
  /** Those that are built in, unless the operator declares more. */
  readonly types?: EventTypes;
  /** Lines of the log that could not be written; 0 unless given. */
  readonly logLinesDropped?: () => number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly schedule?: RetrySchedule;
  /** Starts held, until it is adopted. */
  readonly holds?: boolean;
  /** The built page; `web/dist` unless a test brings its own. */
  readonly webFolder?: string;
}
