/** Who makes a call: a signed-in person, in one account, with one role. Everything a route does is in their name. */
import type { Actor } from "../../domain/actor.ts";
import type { Role } from "../../domain/role.ts";

export interface Session {
  /** The only account that this session may reach. */
  readonly accountId: string;
  /** For the audit, as the store's verbs take it. */
  readonly by: Actor & { readonly role: Role };
  readonly expiresAtMs: number;
  /** Must come with every call that changes something. */
  readonly csrfToken: string;
  /** Names the session to people; it opens nothing. */
  readonly id: string;
  /** Under which the store finds the session. */
  readonly hash: string;
}
