/** Tags of a destination: words by which people find it among many. Nothing is sent by them, and no node asks. */
import { LIMITS } from "../../../domain/limits.ts";
import type { TagDestination } from "../../contract/destinations.ts";
import { writeAudit } from "../audit.ts";
import { lockSetUp } from "../config-version.ts";
import { findName } from "../path/destinations.ts";
import type { SqlTransaction } from "../transaction.ts";

export async function tagDestination(
  tx: SqlTransaction,
  { accountId, destinationId, tag, isOn, by, nowMs }: TagDestination,
): Promise<"changed" | "unchanged" | "missing" | "full"> {
  await lockSetUp(tx, accountId);
  const found = await tx.db.get<{ tags: string }>(FIND_TAGS, accountId, destinationId);
  if (found === undefined) return "missing";
  const before = JSON.parse(found.tags) as readonly string[];
  if (before.includes(tag) === isOn) return "unchanged";
  if (isOn && before.length >= LIMITS.tagsMax) return "full";
  const after = isOn ? [...before, tag].toSorted() : before.filter((each) => each !== tag);
  await tx.db.run(SET_TAGS, JSON.stringify(after), accountId, destinationId);
  const subject = `${await findName(tx, destinationId)} · ${tag}`;
  await writeAudit(tx, { accountId, nowMs, by, action: isOn ? "webhook_tagged" : "webhook_untagged", subject });
  return "changed";
}

const FIND_TAGS = `-- name: find tags of destination
  select tags
  from destinations
  where account_id = $1 and id = $2 and deleted_at is null`;

const SET_TAGS = `-- name: set tags of destination
  update destinations
  set tags = $1
  where account_id = $2 and id = $3`;
