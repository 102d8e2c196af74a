/**
 * Links of emails, open to every reader who has one: the token names the reader, without a session. To open a link
 * shows a page and changes nothing, because mail scanners open links too; its button calls one of these.
 *
 * One call comes from elsewhere: mail programs press their own button for stopping email by a POST to the link itself
 * (RFC 8058), without our page, a cookie or an origin. It can only stop email.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { PROBLEMS, type Problem, type Result, problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { type Validate, createValidator } from "../../events/validate.ts";
import type { AuthHook } from "../../http/auth-hook.ts";
import { callerAddress } from "../../http/client-address.ts";
import { sendProblem } from "../../http/problem-response.ts";
import { toProblem } from "../../http/refusal.ts";
import { addSecurityHeaders } from "../../http/security-headers.ts";
import { createTryCounter } from "../../http/try-counter.ts";
import { minutesMs } from "../../lib/duration.ts";
import { hashToken, isToken } from "../../domain/token.ts";
import { askingName } from "../../domain/plain-text.ts";
import type { StoredMailLink } from "../../store/contract/recipients.ts";
import { LINK_BYTES_MAX, readBody } from "../call/operation.ts";
import type { DashboardContext } from "../call/context.ts";
import type { MailLinkAnswer, MailLinkBody, UseMailLinkBody } from "../contract/failure-mail.ts";
import { mailLinkForm, useMailLinkForm } from "../forms/bodies.ts";
import { originFault } from "../guard/guard.ts";

const BAD_LINKS_MAX = 20;
const BAD_LINKS_WINDOW_MS = minutesMs(1);

const checkLook = createValidator(mailLinkForm);
const checkUse = createValidator(useMailLinkForm);

type Context = Pick<DashboardContext, "accounts" | "live">;

export interface MailLinks {
  /** The two calls of the page, beside the dashboard's others. */
  register(scope: FastifyInstance): void;
  /** The call of mail programs, at the address of the page. */
  registerOneClick(server: FastifyInstance): Promise<void>;
}

export function createMailLinks(ctx: Context): MailLinks {
  const { clock, store, publicUrl } = ctx.accounts;
  const isTooMany = createTryCounter({ clock, triesMax: BAD_LINKS_MAX, windowMs: BAD_LINKS_WINDOW_MS });

  /** Open to everybody on our own page: the token in the body names the reader. */
  const authHook: AuthHook = (request) => originFault(request, publicUrl()) ?? "unauthenticated";

  /** Every try without a link that there is counts, so that rubbish is no cheaper way to keep the service busy. */
  function refuseTry(request: FastifyRequest, reply: FastifyReply, why: Problem): FastifyReply {
    return sendProblem(reply, isTooMany(callerAddress(request)) ? tooMany : why);
  }

  /** The body was too large, of another type, or did not come whole. */
  function refuseUnread(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const refusal = toProblem(error);
    // Everybody's error handler tells the operator of these.
    if (PROBLEMS[refusal.code].status >= 500) throw error;
    return refuseTry(request, reply, refusal);
  }

  async function follow(
    { token: linkToken, action: what }: Followed,
    address: string,
  ): Promise<Result<StoredMailLink>> {
    if (!isToken(linkToken)) return refuse(unknown);
    const followed = { tokenHash: hashToken(linkToken), action: what, address, nowMs: clock.nowMs() };
    const link = await store.followMailLink(followed);
    if (link !== null && what !== "look") ctx.live.configurationChanged(link.accountId);
    return foundAs(link);
  }

  const limits = { bodyLimit: LINK_BYTES_MAX, errorHandler: refuseUnread };

  /** A call of our own page, answered with how the link stands. */
  function take<Body>(scope: FastifyInstance, { url, validate, work }: PageCall<Body>): void {
    scope.post(url, { config: { authHook }, ...limits }, async (request, reply) => {
      const body = readBody(request, validate);
      if (!body.ok) return refuseTry(request, reply, body.error);
      const link = await work(body.value as Body, callerAddress(request));
      if (link.ok) return reply.send(toAnswer(link.value));
      return link.error === unknown ? refuseTry(request, reply, unknown) : sendProblem(reply, link.error);
    });
  }

  return {
    register(scope) {
      const look = (body: MailLinkBody, address: string) => follow({ ...body, action: "look" }, address);
      take(scope, { url: "/mail-link", validate: checkLook, work: look });
      take(scope, { url: "/mail-link/use", validate: checkUse, work: follow });
    },
    async registerOneClick(server) {
      await server.register(async (scope) => {
        addSecurityHeaders(scope);
        const parser = { parseAs: "string", bodyLimit: LINK_BYTES_MAX } as const;
        scope.addContentTypeParser(["application/x-www-form-urlencoded", "multipart/form-data"], parser, asItIs);
        scope.post("/mail/:token", { config: { authHook: ANYBODY }, ...limits }, async (request, reply) => {
          if (!isOneClick(request.body)) return refuseTry(request, reply, notOneClick);
          const { token: linkToken } = request.params as { token: string };
          const link = await follow({ token: linkToken, action: "stop" }, callerAddress(request));
          if (!link.ok) return refuseTry(request, reply, link.error);
          return reply.code(204).header("cache-control", "no-store").send();
        });
      });
    },
  };
}

interface Followed extends MailLinkBody {
  readonly action: "look" | UseMailLinkBody["action"];
}

interface PageCall<Body> {
  readonly url: string;
  readonly validate: Validate;
  readonly work: (body: Body, address: string) => Promise<Result<StoredMailLink>>;
}

/** Mail programs call these routes, without our page and without a cookie. */
const ANYBODY: AuthHook = () => "unauthenticated";

/** A link that has run out or was used says so, and so does one of an address that is not asked any more. */
function foundAs(link: StoredMailLink | null): Result<StoredMailLink> {
  if (link === null) return refuse(unknown);
  // A reader who confirms twice sees the present state instead of a refusal.
  if (link.found === "used" && link.state !== "confirmed") return refuse(used);
  return link.found === "expired" && link.state === "waiting" ? refuse(expired) : ok(link);
}

const toAnswer = ({ purpose, accountName, address, state, found: as }: StoredMailLink): MailLinkAnswer => ({
  purpose,
  accountName: askingName(accountName),
  address,
  state,
  isRemoved: as === "removed",
});

const asItIs = (_request: FastifyRequest, body: string, done: (error: null, body: string) => void): void =>
  done(null, body);

/** In a form of either kind; which pair stands in it is all there is to know. */
const isOneClick = (body: unknown): boolean =>
  typeof body === "string" && /List-Unsubscribe(?:=|"\s+)One-Click/i.test(body);

const ASK_AGAIN = "Ask an owner of the account to send the e-mail again.";

const unknown: Problem = problem(
  "mail_link_unknown",
  "This link leads to nothing any more. Check that it was copied whole. If e-mail of ours still comes, use the " +
    "link in the newest e-mail.",
);

const used: Problem = problem("mail_link_used", `This link has been used: each works once. ${ASK_AGAIN}`);

const expired: Problem = problem("mail_link_expired", `This link has run out after three days. ${ASK_AGAIN}`);

const notOneClick: Problem = problem(
  "invalid_request",
  "Open this address in a browser. A POST here must say List-Unsubscribe=One-Click (RFC 8058).",
);

const tooMany: Problem = problem("too_many_bad_links", "Too many tries from your network address. Wait a minute.");
