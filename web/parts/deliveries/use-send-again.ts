/** Sends a selection again, in as many calls as it takes. A delivery that is refused stops none of the others. */
import { useChange } from "../../query.ts";
import { useSession } from "../../session.ts";

export interface Refusal {
  readonly id: string;
  /** In words. */
  readonly why: string;
}

export function useSendAgain(): (ids: readonly string[]) => Promise<readonly Refusal[]> {
  const { mutateAsync } = useChange(
    "POST /deliveries/resend",
    "GET /deliveries",
    "GET /deliveries/:id",
    "GET /deliveries/matching",
  );
  const { selectionMax } = useSession().limits;
  return async (ids) => {
    const refusals: Refusal[] = [];
    for (let from = 0; from < ids.length; from += selectionMax) {
      const { results } = await mutateAsync({ body: { ids: ids.slice(from, from + selectionMax) } });
      for (const { id, refusal } of results) if (refusal !== null) refusals.push({ id, why: refusal });
    }
    return refusals;
  };
}
