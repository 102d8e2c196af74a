/**
 * What the operator is alerted to, and was alerted to already: `operator_conditions` keeps it for each subject, so that
 * each change is one alert (`put-messages.ts`), whichever node sees it.
 */
import { assert } from "../../../lib/assert.ts";
import type { DestinationNow, HealthChange } from "../../../domain/destination-now.ts";
import {
  composeOperatorAlert,
  findOperatorNews,
  findQuietMs,
  type NamedDestination,
  type OperatorNews,
} from "../../../domain/operator-alert.ts";
import type { NoteCondition } from "../../contract/messages.ts";
import { OWNER_NAME, OWNERS } from "../owner-names.ts";
import type { SqlTransaction } from "../transaction.ts";
import { putAlert } from "./put-messages.ts";

export async function noteCondition(tx: SqlTransaction, params: NoteCondition): Promise<"noted" | "unchanged"> {
  const { subject, isRaised, nowMs, quietMs, body } = params;
  const isNews = await (isRaised ? raise(tx, { subject, nowMs, quietMs }) : lower(tx, subject));
  if (!isNews) return "unchanged";
  await putAlert(tx, { accountId: "", subject, body, nowMs });
  return "noted";
}

/** For a change by an attempt. The destination is locked, and with it its condition. */
export async function alertOperator(
  tx: SqlTransaction,
  destinationId: string,
  { before, after, nowMs }: HealthChange,
): Promise<void> {
  const news = findOperatorNews(before, after);
  if (news === null) return;
  const view = news.kind === "destination_recovered" ? before : after;
  await alert(tx, destinationId, { news, view, nowMs });
}

/** For trouble that a person has ended, if the operator was alerted to it. `before`: the destination until then. */
export async function alertOperatorToEnd(
  tx: SqlTransaction,
  destinationId: string,
  end: {
    readonly reason: "turned_on" | "url_changed" | "deleted";
    readonly before: DestinationNow;
    readonly nowMs: number;
  },
): Promise<void> {
  const news = { kind: "destination_recovered", reason: end.reason } as const;
  await alert(tx, destinationId, { news, view: end.before, nowMs: end.nowMs });
}

interface Alerting {
  readonly news: OperatorNews;
  readonly view: DestinationNow;
  readonly nowMs: number;
}

async function alert(tx: SqlTransaction, destinationId: string, { news, view, nowMs }: Alerting): Promise<void> {
  const isEnd = news.kind === "destination_recovered";
  const isNews = await (isEnd
    ? lower(tx, destinationId)
    : raise(tx, { subject: destinationId, nowMs, quietMs: findQuietMs(news) }));
  if (!isNews && news.kind !== "destination_turned_off") return;
  const row = await tx.db.get<NamedDestination>(FIND_NAMES, destinationId);
  assert(row !== undefined, `there is no destination ${destinationId}`);
  const body = composeOperatorAlert(news, row, { view, nowMs });
  await putAlert(tx, { accountId: row.accountId, subject: destinationId, body, nowMs });
}

/** False when it is so already, or was noted less than `quietMs` ago. */
async function raise(
  tx: SqlTransaction,
  { subject, nowMs, quietMs }: Omit<NoteCondition, "isRaised" | "body">,
): Promise<boolean> {
  return (await tx.db.run(RAISE_CONDITION, subject, nowMs, nowMs - quietMs)) === 1;
}

const lower = async (tx: SqlTransaction, subject: string): Promise<boolean> =>
  (await tx.db.run(LOWER_CONDITION, subject)) === 1;

const RAISE_CONDITION = `-- name: raise condition unless it is raised or was lately
  insert into operator_conditions (subject, is_raised, raised_at)
  values ($1, true, $2)
  on conflict (subject) do update
  set is_raised = true, raised_at = excluded.raised_at
  where not operator_conditions.is_raised and operator_conditions.raised_at <= $3`;

const LOWER_CONDITION = `-- name: lower condition if it is raised
  update operator_conditions
  set is_raised = false
  where subject = $1 and is_raised`;

const FIND_NAMES = `-- name: find whose destination it is
  select d.id, d.url, a.id as "accountId", a.name as "accountName", d.owner_kind as "ownerKind",
    d.owner_id as "ownerId", ${OWNER_NAME} as "ownerName"
  from destinations d
  join accounts a on a.id = d.account_id${OWNERS}
  where d.id = $1`;
