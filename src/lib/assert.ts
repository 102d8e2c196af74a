/**
 * Assertions for states that only a bug of ours can cause. A failed assertion ends the process, which then recovers
 * from the store: continuing from an impossible state could lose or double a delivery.
 */
export class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Ends a `switch` over a closed union: the compiler rejects a missing case, and a run that gets here throws. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}
