/** Sends a selection again. A delivery that is refused stops none of the others. */
import { useChange } from "../../query.ts";

export interface Refusal {
  readonly id: string;
  /** In words. */
  readonly why: string;
}

export function useSendAgain(): (ids: readonly string[]) => Promise<readonly Refusal[]> {
  const { mutateAsync } = useChange("POST /deliveries/resend", "GET /deliveries", "GET /deliveries/:id");
  return async (ids) => {
    const { results } = await mutateAsync({ body: { ids } });
    return results.flatMap(({ id, refusal }) => (refusal === null ? [] : [{ id, why: refusal }]));
  };
}
