/** The promises of moves: an account is in one shard as a whole, and that is where the directory says. */
import type { Invariant, NewInvariant } from "./invariant.ts";
import { firstFinding } from "./invariant.ts";

const inOneShard = (): Invariant => ({
  name: "each account is in one shard as a whole, and the directory names that one",
  rest: ({ places }) =>
    firstFinding(places, ({ accountId, directory, livesIn, rowsIn }) => {
      const found = `${accountId} lives in [${livesIn.join()}] with rows in [${rowsIn.join()}]`;
      const isRight = livesIn.join() === directory && rowsIn.join() === directory;
      return isRight ? null : { message: `${found}, the directory says ${directory}`, about: accountId };
    }),
});

const nothingIsLeft = (): Invariant => ({
  name: "nothing is left of a move: no mark, no lock",
  rest: ({ leftOfMoves }) =>
    leftOfMoves.length === 0 ? null : { message: `there is still ${leftOfMoves.join(", ")}`, about: "" },
});

const moversFailInOrder = (): Invariant => ({
  name: "a move fails only for a store that is away, or for another move",
  see: (fact) =>
    fact.kind === "mover_failed" ? { message: `${fact.by} failed: ${String(fact.error)}`, about: fact.by } : null,
});

export const MOVING: readonly NewInvariant[] = [inOneShard, nothingIsLeft, moversFailInOrder];
