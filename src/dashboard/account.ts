/** The account page: who did what, and where letters about failing destinations go. */
import Type, { type Static } from "typebox";
import type { DashboardContext } from "./context.ts";
import type { AuditEntry, FailureMailAnswer } from "./contract/session.ts";
import { type Problem, type Result, ok, problem, refuse } from "../domain/problem.ts";
import { EMAIL_CHARS_MAX } from "../events/fields.ts";
import type { AuditAction, StoredAuditEntry } from "../store/dashboard-verbs.ts";
import { readSeqCursor, writeSeqCursor } from "./cursor.ts";
import type { RouteGroup } from "./operation.ts";
import type { Session } from "./session.ts";

const ENTRIES_PER_PAGE = 50;

/** Guess: a team's list and a few people. */
const ADDRESSES_MAX = 10;

const failureMailForm = Type.Object(
  {
    addresses: Type.Array(
      Type.String({
        // One address and nothing else: no name, no list, and no line break that could begin another header.
        pattern: '^[^\\s@<>,;:"]+@[^\\s@<>,;:"]+\\.[^\\s@<>,;:".]+$',
        maxLength: EMAIL_CHARS_MAX,
        "x-message": "must be an e-mail address, such as ada@example.com",
      }),
      { maxItems: ADDRESSES_MAX },
    ),
  },
  { additionalProperties: false },
);

export const accountRoutes: RouteGroup<"GET /audit" | "GET /failure-mail" | "PUT /failure-mail"> = {
  "GET /audit": {
    role: "viewer",
    async handle({ accounts: { store } }, { session: { accountId }, query }) {
      const before = readSeqCursor(query.cursor);
      if (!before.ok) return refuse(badCursor(before.error));
      const limit = ENTRIES_PER_PAGE + 1;
      const found = await store.listAudit({ accountId, before: before.value, limit });
      const shown = found.slice(0, ENTRIES_PER_PAGE);
      const last = found.length > ENTRIES_PER_PAGE ? shown.at(-1) : undefined;
      return ok({ entries: shown.map(auditEntry), nextCursor: last === undefined ? null : writeSeqCursor(last.seq) });
    },
  },
  "GET /failure-mail": { role: "viewer", handle: (ctx, { session }) => failureMail(ctx, session) },
  "PUT /failure-mail": {
    role: "owner",
    bodySchema: failureMailForm,
    async handle(ctx, { session, body }) {
      const { addresses } = body as Static<typeof failureMailForm>;
      const { store, clock } = ctx.accounts;
      const { accountId, by } = session;
      await store.saveFailureMail({ accountId, addresses: withoutRepeats(addresses), by, nowMs: clock.nowMs() });
      return await failureMail(ctx, session);
    },
  },
};

async function failureMail(ctx: DashboardContext, { accountId }: Session): Promise<Result<FailureMailAnswer>> {
  const addresses = await ctx.accounts.store.loadFailureMail({ accountId });
  return ok({ addresses, isSetUpByOperator: ctx.hasMail });
}

/** Two spellings of one address would bring the same letter twice. */
const withoutRepeats = (addresses: readonly string[]): string[] => [
  ...new Map(addresses.map((address) => [address.toLowerCase(), address])).values(),
];

const badCursor = (error: NonNullable<Problem["errors"]>[number]): Problem =>
  problem("invalid_parameter", `The ${error.path} in the address ${error.message}.`, [error]);

function auditEntry({ atMs, person, role, action, subject }: StoredAuditEntry): AuditEntry {
  return { atMs, person, role, action: ACTION_WORDS[action], subject };
}

const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  signed_in: "Signed in",
  signed_out: "Signed out",
  session_replaced: "Signed out by signing in again in the same browser",
  session_crowded_out: "Signed out the browser that was used longest ago: the account had its most",
  person_signed_out: "Signed a person out",
  alert_created: "Created an alert",
  alert_changed: "Changed an alert",
  alert_deleted: "Deleted an alert",
  assistant_webhook_changed: "Changed a chat assistant's webhook",
  assistant_webhook_removed: "Removed a chat assistant's webhook",
  destination_paused: "Paused a webhook",
  destination_turned_on: "Turned a webhook on",
  backlog_cancelled: "Cancelled what was waiting for a webhook",
  webhook_tested: "Tested a webhook",
  delivery_resent: "Sent a delivery again",
  replay_prepared: "Prepared a replay",
  replay_started: "Started a replay",
  replay_paused: "Paused a replay",
  replay_cancelled: "Cancelled a replay",
  secret_revealed: "Revealed the verification secret",
  secret_rotated: "Rotated the verification secret",
  secret_switched: "Switched to the new verification secret",
  failure_mail_changed: "Changed who is told about failures",
};
