/** A call that a test left under way may still be committing: it moves rows that are just being deleted. */
import { isCollision } from "../../../src/store/postgres/failures.ts";

const TRIES = 10;

export async function untilEmptied(empty: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const error: unknown = await empty().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error === null) return;
    if (tries === TRIES || !isCollision(error)) throw error;
  }
}
