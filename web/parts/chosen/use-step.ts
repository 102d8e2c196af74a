/** Takes a step for all chosen webhooks, in as many calls as it takes. One that is refused stops none of the others. */
import type { ChangedOne, ChosenStep } from "../../../src/dashboard/contract/chosen.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type { Owner } from "../../../src/domain/event.ts";
import { useQueryClient } from "@tanstack/react-query";
import { ApiProblem, call } from "../../api.ts";
import { refresh, useSession } from "../../query.ts";
import { OUTDATED_BY_STATE } from "../health/health-words.ts";

export type Step = ChosenStep["step"];

export interface Chosen extends Owner {
  readonly name: string;
  readonly destination: Pick<DestinationView, "url" | "health"> | null;
}

export interface Refused extends Chosen {
  /** In words. */
  readonly why: string;
}

/** The list shows what became of them, also where no answer came. */
export function useStep(): (chosen: readonly Chosen[], change: ChosenStep) => Promise<readonly Refused[]> {
  const client = useQueryClient();
  const { selectionMax } = useSession().limits;
  return async (chosen, change) => {
    const results: ChangedOne[] = [];
    try {
      while (results.length < chosen.length) {
        const owners = chosen
          .slice(results.length, results.length + selectionMax)
          .map(({ kind, id }) => ({ kind, id }));
        results.push(...(await call("POST /chosen-webhooks", { body: { owners, change } })).results);
      }
    } catch (error) {
      throw toKnown(error, results.length);
    } finally {
      await refresh(client, [...OUTDATED_BY_STATE, "GET /event-types/:type"]);
    }
    return chosen.flatMap((each, place) => {
      const why = results[place]?.refusal ?? null;
      return why === null ? [] : [{ ...each, why }];
    });
  };
}

/** Says that some may be changed: after a lost answer, or once an earlier call of the same step was answered. */
function toKnown(error: unknown, done: number): Error {
  const message = error instanceof Error ? error.message : String(error);
  const isWhole = error instanceof ApiProblem && done === 0;
  return isWhole ? error : new Error(`${message} Some of them may be changed: the list shows how each is now.`);
}
