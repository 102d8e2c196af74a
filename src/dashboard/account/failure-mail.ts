/** E-mail about failures, as an account's people see and owners decide it. Whether e-mails go is the reader's say. */
import { addFailureAddress, askFailureAddress } from "../../accounts/failure-mail.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type Problem, type Result, problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { pasteFault } from "../../lib/pasted.ts";
import type { ConfirmationRefusal } from "../../domain/mail-address.ts";
import type { AddMailAddressResult, RequestConfirmationResult } from "../../store/contract/recipients.ts";
import type { DashboardContext } from "../call/context.ts";
import type { FailureMailAnswer } from "../contract/failure-mail.ts";
import type { Handlers } from "../call/operation.ts";
import type { Session } from "../guard/session.ts";

export const failureMailHandlers = {
  "GET /failure-mail": (ctx, { session }) => failureMail(ctx, session),
  async "POST /failure-mail"(ctx, { session, body }) {
    const { address } = body;
    const { accountId, by } = session;
    const pasted = pasteFault(address, { kind: "token" });
    if (pasted !== null) return refuse(atAddress("invalid_form", pasted));
    const fault = addFault(await addFailureAddress(ctx.accounts, { accountId, address, by }));
    if (fault !== null) return refuse(fault);
    ctx.nudgeMail();
    return await failureMail(ctx, session);
  },
  async "DELETE /failure-mail/:id"(ctx, { session, params: { id: recipientId } }) {
    const { accountId, by } = session;
    const { store, clock } = ctx.accounts;
    const removed = await store.removeRecipient({ accountId, recipientId, by, nowMs: clock.nowMs() });
    return removed === "removed" ? await failureMail(ctx, session) : refuse(missing);
  },
  async "POST /failure-mail/:id/email"(ctx, { session, params: { id: addressId } }) {
    const { accountId, by } = session;
    const fault = askFault(await askFailureAddress(ctx.accounts, { accountId, addressId, by }));
    if (fault !== null) return refuse(fault);
    ctx.nudgeMail();
    return await failureMail(ctx, session);
  },
} satisfies Handlers;

async function failureMail(ctx: DashboardContext, { accountId }: Session): Promise<Result<FailureMailAnswer>> {
  const found = (await ctx.accounts.store.loadRecipients({ accountId })).mailAddresses;
  const addresses = found.map((each) => ({ ...each, askAgainAtMs: each.confirmation.atMs + LIMITS.confirmEmailGapMs }));
  return ok({ addresses, addressesMax: LIMITS.failureMailAddressesMax, isSetUpByOperator: ctx.hasMail });
}

function addFault(result: AddMailAddressResult): Problem | null {
  switch (result.kind) {
    case "added":
      return null;
    case "known":
      return atAddress("mail_address_known", "is in the list already");
    case "full":
      return atAddress(
        "mail_address_limit_reached",
        `would be one too many: an account has at most ${LIMITS.failureMailAddressesMax}. Remove one first`,
      );
    case "stopped":
      return atAddress("mail_address_stopped", STOPPED);
    case "account_missing":
      return problem("account_not_found", "This account is not there any more.");
    case "refused":
      return atAddress("too_many_emails", REFUSALS[result.refusal]);
  }
}

function askFault(result: RequestConfirmationResult): Problem | null {
  switch (result.kind) {
    case "queued":
      return null;
    case "missing":
      return missing;
    case "confirmed":
      return problem("mail_address_confirmed", "This address is confirmed already: e-mails go to it.");
    case "stopped":
      return problem("mail_address_stopped", `This address ${STOPPED}.`);
    case "refused":
      return problem("too_many_emails", `This address ${REFUSALS[result.refusal]}.`);
  }
}

const missing: Problem = problem("mail_address_not_found", "This address is not in the list any more.");

const STOPPED =
  "takes no e-mails of this account: its reader has stopped them, and can start them again by the link in any of them";

const REFUSALS: Readonly<Record<ConfirmationRefusal, string>> = {
  too_soon: "was sent an e-mail minutes ago. Wait for it, and look among unwanted mail too",
  address_limit: "gets no further confirmation e-mail today. Try again tomorrow",
  account_limit:
    `cannot be asked today: an account sends at most ${LIMITS.confirmEmailsOfAccountDayMax} confirmation e-mails ` +
    "a day. Try again tomorrow",
};

const atAddress = (code: Problem["code"], message: string): Problem =>
  problem(code, `The address ${message}.`, [{ path: "address", message }]);
