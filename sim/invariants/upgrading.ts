/** The promise of upgrades: nodes leave a shard alone until its schema is of their version. */
import type { Invariant, NewInvariant } from "./invariant.ts";

const noOtherVersion = (): Invariant => ({
  name: "a node works in no shard whose schema is another version's",
  see(fact) {
    if (fact.kind !== "misused") return null;
    return { message: `${fact.life.name} has made ${fact.verb} in shard ${fact.shard}`, about: fact.life.name };
  },
});

export const UPGRADING: readonly NewInvariant[] = [noOtherVersion];
