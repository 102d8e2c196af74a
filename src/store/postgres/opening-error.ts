/** What an opening that failed is told as: whether waiting may help, and what to do. */
import { StoreUnavailable, StoreUnusable } from "../store.ts";
import { causeOf, describeFailure, isMisconfigured, isStorageFailure } from "./failures.ts";

/** `place` names the database. */
export function openingError(place: string, error: unknown): Error {
  if (error instanceof StoreUnusable) return error;
  const what = describeFailure(error);
  const cause = causeOf(error);
  if (isMisconfigured(error)) {
    const advice = "check BELLWIRE_DATABASE, the database's name and the user's rights";
    return new StoreUnusable(`${place} cannot be used: ${what}; ${advice}`, { cause });
  }
  if (isStorageFailure(error)) return new StoreUnavailable(`${place} cannot be reached now: ${what}`, { cause });
  return new StoreUnusable(`${place} cannot be used: ${what}`, { cause });
}
