/**
 * All lanes, one for each partition, account and event that has records in hand. Some post at once; while Bellwire
 * cannot be reached at all, none does until the pause is over.
 */
import type { Address } from "./address.ts";
import { Lane, type LaneContext, type Waiting } from "./lane.ts";
import type { Message } from "./port.ts";
import type { BridgeReport } from "./report.ts";
import type { Posted, PostRecords } from "./post-records.ts";

export interface LanesContext<Taken extends Message> extends Omit<LaneContext<Taken>, "held" | "moved" | "post"> {
  readonly post: PostRecords;
  readonly report: BridgeReport;
}

export interface Lanes<Taken extends Message> {
  push(partition: string, address: Address, waiting: readonly Waiting<Taken>[]): void;
  /** The number of lanes that Bellwire does not take at the moment. */
  held(): number;
  /** Why, when no lane at all gets through. */
  trouble(): string | null;
}

/** Guess: a node commits the calls that come together in one transaction. */
const POSTS_MAX = 8;

export function createLanes<Taken extends Message>(context: LanesContext<Taken>): Lanes<Taken> {
  const lanes = new Map<string, Lane<Taken>>();
  const held = new Map<Lane<Taken>, string>();
  const door = createDoor(context);

  function open(key: string, address: Address): Lane<Taken> {
    const lane: Lane<Taken> = new Lane(address, {
      ...context,
      post: door.post,
      held(fact) {
        held.set(lane, fact.reason);
        context.report.heldBack({ accountId: address.account, event: address.event, ...fact });
      },
      moved: () => release(lane),
    });
    lanes.set(key, lane);
    return lane;
  }

  function release(lane: Lane<Taken>): void {
    if (held.delete(lane) && held.size === 0) context.report.resumed();
  }

  /** A lane with nothing left is forgotten, and so is its number of failures. */
  async function drain(key: string, lane: Lane<Taken>): Promise<void> {
    do await lane.drain();
    while (!lane.isEmpty);
    lanes.delete(key);
    release(lane);
  }

  return {
    push(partition, address, waiting) {
      if (waiting.length === 0) return;
      const key = `${address.event} ${address.account} ${partition}`;
      const known = lanes.get(key);
      const lane = known ?? open(key, address);
      lane.push(waiting);
      // A lane that is known drains already.
      if (known === undefined) void drain(key, lane);
    },
    held: () => held.size,
    trouble() {
      const [first] = held.values();
      const reason = door.awayReason() ?? (held.size === lanes.size ? first : undefined);
      return reason === undefined ? null : `Bellwire does not take records: ${reason}`;
    },
  };
}

interface Door {
  readonly post: PostRecords;
  /** Why no call has been answered since the last one that was. */
  readonly awayReason: () => string | null;
}

/** Lets `POSTS_MAX` calls through at once. After one without any answer, all wait for the pause of the first. */
function createDoor<Taken extends Message>({ post, clock, pauses, isStopping }: LanesContext<Taken>): Door {
  const queue: (() => void)[] = [];
  let inside = 0;
  let awayFailures = 0;
  let awayReason: string | null = null;
  let shutUntilMs = Number.NEGATIVE_INFINITY;

  async function enter(): Promise<void> {
    if (inside >= POSTS_MAX) await new Promise<void>((resolve) => queue.push(resolve));
    else inside += 1;
    while (!isStopping() && clock.monotonicMs() < shutUntilMs) await pauses.wait(shutUntilMs - clock.monotonicMs());
  }

  function leave(): void {
    const next = queue.shift();
    if (next === undefined) inside -= 1;
    else next();
  }

  function note(posted: Posted): void {
    awayReason = posted.kind === "held" && posted.isAway ? posted.reason : null;
    if (awayReason === null) awayFailures = 0;
    else if (clock.monotonicMs() >= shutUntilMs) {
      awayFailures += 1;
      shutUntilMs = clock.monotonicMs() + pauses.backOffMs(awayFailures);
    }
  }

  return {
    awayReason: () => awayReason,
    async post(address, lines) {
      await enter();
      try {
        const posted = await post(address, lines);
        note(posted);
        return posted;
      } finally {
        leave();
      }
    },
  };
}
