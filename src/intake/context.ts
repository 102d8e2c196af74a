/** The context of intake's routes. They decide nothing: they authenticate, read, call one verb and answer. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AccountsContext } from "../accounts/context.ts";
import type { Acceptance, RequestTrace } from "../delivery/accept.ts";
import type { Problem, Result } from "../domain/problem.ts";
import type { AuthHook } from "../http/auth-hook.ts";
import type { ParsedRecord } from "../events/event-type.ts";
import type { Clock } from "../lib/clock.ts";
import type { Operation } from "./operation.ts";
import type { IntakeReport } from "./report.ts";

export interface IntakeContext {
  readonly accounts: AccountsContext;
  /** `trace` belongs to the call that brings the records; `null` when it is not traced. */
  readonly accept: (
    accountId: string,
    records: readonly ParsedRecord[],
    trace: RequestTrace | null,
  ) => Promise<Result<readonly Acceptance[]>>;
  /** Called when sessions of the dashboard have ended, so that their open pages end with them. */
  readonly onSessionsEnded: (accountId: string, sessionIds: readonly string[]) => void;
  /** Each of these lets a caller in, so that keys can be replaced one after the other. */
  readonly keys: { readonly apiKeys: readonly string[] };
  readonly clock: Clock;
  /** While it has a problem, that is the answer to whatever the product brings. */
  readonly hold: { readonly problem: Problem | null };
  readonly report: IntakeReport;
}

/** A call of intake: its address, its documentation, and its handler. */
export interface IntakeRoute {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** With parameters as `:account_id`. */
  readonly path: string;
  /** `null` for one that only refuses. */
  readonly operation: Operation | null;
  /** Who may call it: the holder of an intake key, unless given. */
  readonly authHook?: AuthHook;
  /** Instead of what its content type may have. */
  readonly bodyBytesMax?: number;
  readonly handle: (
    request: FastifyRequest,
    reply: FastifyReply,
    trace: RequestTrace | null,
  ) => FastifyReply | Promise<FastifyReply>;
}

/** What the OpenAPI document says of a call. */
export type DocumentedRoute = Pick<IntakeRoute, "method" | "path" | "operation">;

/** Calls of other callers than the product's back end (`../programs`, `../pull`). */
export interface MoreRoutes {
  /** Served at addresses that may be intake's too. */
  readonly routes: readonly IntakeRoute[];
  /** Each is in the document while it is open. */
  readonly groups: readonly RouteGroup[];
}

export interface RouteGroup {
  readonly routes: readonly DocumentedRoute[];
  readonly areOpen: () => Promise<boolean>;
}
