/**
 * Long work in pieces: between two of them the event loop serves other work. Time decides and not the number of pieces,
 * so that short work is never held up.
 */
import type { Clock } from "./clock.ts";

/** Well below the 50 ms that a caller beside it may have to wait. */
const TURN_MS_MAX = 5;

/** Maps each item; a pause comes before the first one that starts later than `TURN_MS_MAX` after the last pause. */
export async function mapInTurns<Item, Value>(
  clock: Pick<Clock, "monotonicMs">,
  items: Iterable<Item>,
  toValue: (item: Item) => Value,
): Promise<Value[]> {
  const values: Value[] = [];
  let untilMs = clock.monotonicMs() + TURN_MS_MAX;
  for (const item of items) {
    if (clock.monotonicMs() > untilMs) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      untilMs = clock.monotonicMs() + TURN_MS_MAX;
    }
    values.push(toValue(item));
  }
  return values;
}
