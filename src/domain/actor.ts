/** The author of a change: a person, or the system. */
import type { Role } from "./role.ts";

export interface Actor {
  readonly person: string;
  readonly role: Role | "system";
}
