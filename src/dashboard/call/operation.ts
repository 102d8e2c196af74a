/**
 * A call of the page, seen from the service: who may make it, what its body must be, and what it does. The contract's
 * `Routes` gives each its types, so a handler cannot answer with anything but what the page expects.
 *
 * A handler gets its parts checked: session, role, CSRF token, JSON against `bodySchema`, a revision where the contract
 * has `ifMatch`. Its own duty is that everything the address or body names belongs to `session.accountId`: it
 * asks the store for it with that account's id, and answers `…_not_found` when the store has none.
 */
import type { TSchema } from "typebox";
import type { Result } from "../../domain/problem.ts";
import type { Role } from "../../domain/role.ts";
import type { DashboardContext } from "./context.ts";
import type { RouteName, Routes } from "../contract/routes.ts";
import type { Session } from "../guard/session.ts";

/**
 * The first two write the session's cookie and stand in sign-in.ts, the others are open to readers of letters and stand
 * in mail-links.ts; every other route is in the table of routes.ts.
 */
type OwnRoute = "POST /sign-in" | "POST /sign-out" | "POST /mail-link" | "POST /mail-link/use";

export type TableRoute = Exclude<RouteName, OwnRoute>;

export type RouteTable = { readonly [Name in TableRoute]: Route<Name> };

/** Some rows of the table, as the files beside this one give them: `export const alertRoutes: RouteGroup<…> = …`. */
export type RouteGroup<Name extends TableRoute> = Pick<RouteTable, Name>;

export type Route<Name extends TableRoute> = {
  /** The lowest role that may call it: owners may do everything that viewers may. */
  readonly role: Role;
  readonly handle: (ctx: DashboardContext, call: Call<Name>) => Promise<Result<Routes[Name]["answer"]>>;
} & (Routes[Name] extends { body: unknown }
  ? {
      /** Objects in it are closed (`additionalProperties: false`); its static type is the contract's `body`. */
      readonly bodySchema: TSchema;
      /** `FORM_BYTES_MAX` unless given: for a body that has an event's body in it. */
      readonly bodyBytesMax?: number;
    }
  : unknown) &
  (Routes[Name] extends { ifMatch: number } ? { readonly needsRevision: true } : unknown);

export interface Call<Name extends TableRoute> {
  readonly session: Session;
  /** Parts of the address, decoded; at most 128 characters each. */
  readonly params: RoutePart<Name, "params">;
  /** As text, and unchecked: the reader only refuses a name that is given twice. */
  readonly query: { readonly [Key in keyof RoutePart<Name, "query">]?: string };
  readonly body: RoutePart<Name, "body">;
  /** The revision that the editor saw. */
  readonly ifMatch: RoutePart<Name, "ifMatch">;
}

type RoutePart<Name extends TableRoute, Part extends string> = Part extends keyof Routes[Name]
  ? Routes[Name][Part]
  : undefined;
