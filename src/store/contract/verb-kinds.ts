/**
 * How a verb stands to the event's path, which decides what waits for what.
 *
 * - `path`: an event, a claim or a person waits for it.
 * - `set-up`: it changes what accepts are decided with, so it keeps its order with accepts.
 * - `side`: no event waits for it. PostgreSQL gives these verbs connections of their own.
 */
export type VerbKind = "path" | "set-up" | "side";

/** One row for each verb: a verb without a kind does not compile. */
export type VerbKinds<Verbs> = { readonly [Name in keyof Verbs]: VerbKind };
