/**
 * A form is said once, as a schema: the server checks what arrives by it, and `FormOf` is its type for the page and for
 * those who work with it.
 */
import type { Static, TSchema } from "typebox";

/** Fields that a form does not have are refused by name. */
export const CLOSED = { additionalProperties: false };

export type FormOf<Schema extends TSchema> = Frozen<Static<Schema>>;

/** A schema's own type has no `readonly`. */
type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;
