/**
 * Failures of the service itself as log lines. A bug is logged with its stack. A store that is away and a network or a
 * disk that refuses are no bugs: their lines say the cause and its code, without a stack.
 */
import { secondsMs } from "../lib/duration.ts";
import { AccountAway, StoreUnavailable } from "../store/contract/store.ts";
import type { Metrics } from "./metrics.ts";
import type { RepeatedLine, Repeats } from "../lib/repeats.ts";

export interface Failure {
  readonly what: string;
  /** A string is a refusal that its caller expects, such as what a mail server has answered. */
  readonly error: unknown;
}

export type TellFailure = (failure: Failure) => void;

export const createTellFailure =
  (repeats: Repeats, metrics: Pick<Metrics, "failures">): TellFailure =>
  (failure) => {
    metrics.failures.inc();
    repeats.tell(toLine(failure));
  };

/** The engine asks the store each second, so a store that is away is met again within this, also when it hangs. */
const STORE_QUIET_MS = secondsMs(15);

const MESSAGE = "bellwire.failed";

function toLine({ what, error }: Failure): RepeatedLine {
  const code = findCode(error);
  if (error instanceof StoreUnavailable) {
    // Every caller and every loop meets the same one, at whatever it does.
    const name = error instanceof AccountAway ? "a server of the database is away" : "the database cannot be used";
    const fields = { what: name, code, reason: error.message };
    const key = `${name} ${code === undefined || AWAY.test(code) ? "" : code}`;
    return { key, level: "error", message: MESSAGE, fields, first: { while: what }, quietMs: STORE_QUIET_MS };
  }
  const kind = `${what.replaceAll(IDS, "…")} ${code ?? ""}`;
  if (typeof error === "string" || (code !== undefined && SYSTEM.test(code))) {
    const reason = error instanceof Error ? error.message : String(error);
    return { key: kind, level: "error", message: MESSAGE, fields: { what, code, reason } };
  }
  const fields = { what, code, reason: String(error) };
  return { key: `${kind} ${placeOf(error)}`, level: "error", message: MESSAGE, fields, first: { err: error } };
}

/** Ids and numbers in the words for a piece of work. */
const IDS = /[\w-]*\d[\w-]*/g;

/** Codes of a connection that is refused or lost: PostgreSQL's classes 08 and 57, and Node's own. */
const AWAY = /^(?:08|57)|^E[A-Z]/;

/** Node's codes of what the system, a network or a mail server refuses. Those of Node's own begin with `ERR_`. */
const SYSTEM = /^E(?!RR_)[A-Z]+$/;

/** The database's own, which the store's messages end with, or the innermost: errors around it say what was tried. */
function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, ofDatabase] = /\((?:PostgreSQL|SQLite) error (\w+)\)/.exec(error.message) ?? [];
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return ofDatabase ?? findCode(error.cause) ?? code;
}

/** Where it was thrown: two bugs in one piece of work are two. */
const placeOf = (error: unknown): string =>
  error instanceof Error ? `${error.name} ${/^ +at .*$/m.exec(error.stack ?? "")?.[0] ?? ""}` : typeof error;
