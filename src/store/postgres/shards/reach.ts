/**
 * The way to a shard beside the home shard. Its connections are opened by who asks first, which brings its schema to
 * this version; everybody who asks meanwhile waits for the same opening:
 *
 *     closed ──asked──► opening ──► open
 *       ▲                  │
 *       └── it cannot be ──┘        the watch (`watch.ts`) has it asked again
 *
 * Invariant: a shard that is there and cannot be used (its schema is a newer Bellwire's, older nodes keep it from being
 * migrated, its password is wrong) fails its own accounts, as one whose server is away; and an opening that takes long
 * keeps no call waiting, which may have other shards to ask. It goes on, and whoever asks next finds it where it is.
 */
import { type Clock, inTime } from "../../../lib/clock.ts";
import { secondsMs } from "../../../lib/duration.ts";
import { AccountAway } from "../../contract/store.ts";

export interface Reach<Opened> {
  /** Rejects with `AccountAway`. */
  open(): Promise<Opened>;
  /** Closes what is open. An opening that takes long is not waited for: what it opens is closed then. */
  close(): Promise<void>;
}

/** Opening takes some 30 ms, and a step of the schema that others are in the way of up to a minute. Guess. */
const OPENING_MS_MAX = secondsMs(1);

interface Closable {
  close(): Promise<void>;
}

export function createReach<Opened extends Closable>(
  clock: Pick<Clock, "after">,
  openAnew: () => Promise<Opened>,
): Reach<Opened> {
  let opening: Promise<Opened> | null = null;
  let isOpen: Opened | null = null;

  function begin(): Promise<Opened> {
    const begun = openAnew();
    begun.then(
      (opened) => (isOpen = opened),
      () => (opening = null),
    );
    return begun;
  }

  return {
    async open() {
      if (isOpen !== null) return isOpen;
      opening ??= begin();
      const opened = await inTime(clock, OPENING_MS_MAX, opening).catch((cause: unknown) => {
        throw new AccountAway(cause instanceof Error ? cause.message : String(cause), { cause });
      });
      if (opened === null) throw new AccountAway("the shard of this account is still being opened");
      return opened;
    },
    async close() {
      const begun = opening?.catch(() => null) ?? Promise.resolve(null);
      const opened = await inTime(clock, OPENING_MS_MAX, begun);
      if (opened === null) void begun.then((late) => late?.close()).catch(() => {});
      await opened?.close();
    },
  };
}
