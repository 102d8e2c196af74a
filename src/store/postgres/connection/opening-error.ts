/** How an opening that failed is told: whether waiting may help, and what to do. */
import { StoreUnavailable, StoreUnusable } from "../../contract/store.ts";
import { toLoggedCause, describeFailure, isMisconfigured, isRefusedByPooler, isStorageFailure } from "../failures.ts";

export const POOLER_ADVICE = "set BELLWIRE_DATABASE_POOLER=transaction, or name the server itself in BELLWIRE_DATABASE";

/** `place` names the database. */
export function openingError(place: string, error: unknown): Error {
  if (error instanceof StoreUnusable || error instanceof StoreUnavailable) return error;
  const what = describeFailure(error);
  const cause = toLoggedCause(error);
  if (isRefusedByPooler(error)) {
    const why = `a pooler such as PgBouncer stands in front of it (${what})`;
    return new StoreUnusable(`${place} cannot be used: ${why}; ${POOLER_ADVICE}`, { cause });
  }
  if (isMisconfigured(error)) {
    const advice = "check BELLWIRE_DATABASE, the database's name and the user's rights";
    return new StoreUnusable(`${place} cannot be used: ${what}; ${advice}`, { cause });
  }
  if (isStorageFailure(error)) return new StoreUnavailable(`${place} cannot be reached now: ${what}`, { cause });
  return new StoreUnusable(`${place} cannot be used: ${what}`, { cause });
}
