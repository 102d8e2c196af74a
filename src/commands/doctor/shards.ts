/** The doctor's words about accounts that lie in several shards: where each is, and which is away or behind. */
import type { Config } from "../../config/options.ts";
import { type ListedShard, lookAtShards, WAITING_SHOWN_MAX } from "../../store/postgres/shards/admin.ts";
import { HOME_SHARD, SHARD_ADDRESS } from "../../store/postgres/shards/directory.ts";
import { NEWEST_VERSION } from "../../store/postgres/schema/migrations.ts";
import { type Finding, fine, warning } from "./finding.ts";
import { findSealer } from "./keys.ts";

/** Nothing where the home shard is the only one. */
export async function checkShards(config: Config, url: string): Promise<Finding[]> {
  const sealer = findSealer(config);
  const openAddress = (sealed: string): string => {
    if (sealer === null) throw new Error("the encryption key is missing, which opens its address");
    return sealer.open(sealed, SHARD_ADDRESS);
  };
  return describeShards(await lookAtShards({ url, pooler: config.databasePooler, openAddress }));
}

export function describeShards(shards: readonly ListedShard[]): Finding[] {
  if (shards.length === 1) return [];
  const spread = fine(`Accounts lie in ${shards.length} shards.`, shards.map(toLine));
  return [spread, ...shards.filter(({ name }) => name !== HOME_SHARD).flatMap(findFault)];
}

function toLine({ name, place, found }: ListedShard): string {
  if (typeof found === "string") return `shard ${name} is ${place}`;
  const waiting = found.waiting >= WAITING_SHOWN_MAX ? `${WAITING_SHOWN_MAX} and more` : String(found.waiting);
  return `shard ${name} is ${place}: accounts ${found.accounts}, waiting deliveries ${waiting}`;
}

function findFault({ name, place, found }: ListedShard): Finding[] {
  if (typeof found === "string") {
    const text = `Shard ${name} (${place}) cannot be asked: ${found}.`;
    return [warning(text, "Its accounts are refused (503) until it is back. The others go on, and nothing is lost.")];
  }
  if (found.schemaVersion >= NEWEST_VERSION) return [];
  const text = `Shard ${name} (${place}) has schema version ${found.schemaVersion}, this Bellwire ${NEWEST_VERSION}.`;
  return [warning(text, "The next node that starts or finds it again brings it to this version.")];
}
