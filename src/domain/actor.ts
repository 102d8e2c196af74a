/** Who did something: a person, or the system for them. */
import type { Role } from "./role.ts";

export interface Actor {
  readonly person: string;
  readonly role: Role | "system";
}
