/** Fingerprints of an account's set-up, destinations and replays: they differ as soon as something has changed. */
import type { Activity } from "../../contract/log.ts";
import type { SqlTransaction } from "../transaction.ts";

/** As many as people look at. */
const REPLAYS_MAX = 100;

export async function loadFingerprints(tx: SqlTransaction, accountId: string): Promise<Omit<Activity, "deliveries">> {
  const [configuration, destinations, replays] = await Promise.all([
    tx.db.get<{ version: number | null; audit: number | null }>(FIND_CONFIGURATION, accountId),
    tx.db.all<FingerprintRow>(LIST_DESTINATION_FINGERPRINTS, accountId),
    tx.db.all<FingerprintRow>(LIST_REPLAY_FINGERPRINTS, accountId, REPLAYS_MAX),
  ]);
  return {
    configuration: `${configuration?.version ?? 0} ${configuration?.audit ?? 0}`,
    destinations: byId(destinations),
    replays: byId(replays),
  };
}

interface FingerprintRow {
  readonly id: string;
  readonly fingerprint: string;
}

const byId = (rows: readonly FingerprintRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ id, fingerprint }) => [id, fingerprint]));

const FIND_CONFIGURATION = `-- name: find fingerprints of configuration
  select config_version as version, (
      select max(seq)
      from audit_entries
      where account_id = $1
    ) as audit
  from accounts
  where id = $1`;

const LIST_DESTINATION_FINGERPRINTS = `-- name: list fingerprints of destinations
  select id, concat_ws(' ', state, off_reason, consecutive_opens, failure_score, failing_since_at, last_failure_at,
    deleted_at) as fingerprint
  from destinations
  where account_id = $1`;

const LIST_REPLAY_FINGERPRINTS = `-- name: list fingerprints of replays
  select id, concat_ws(' ', state, moved, skipped) as fingerprint
  from replays
  where account_id = $1
  order by id desc
  limit $2`;
