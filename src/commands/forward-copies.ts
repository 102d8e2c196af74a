/** `bellwire forward` once it is let in: it asks for new deliveries and posts a copy of each, oldest first. */
import type { ForwardedList, ForwardedRequest, ForwardedRow, ForwardOpened } from "../dashboard/contract/forward.ts";
import { sleep, systemClock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import type { CommandIo } from "./command.ts";
import { postHere } from "./post-here.ts";
import { describeProblem, isProblem } from "./service-access.ts";
import { type ServiceClient, parseJson } from "./service-client.ts";

const ASK_EVERY_MS = secondsMs(1);
/** After a call that failed. */
const ASK_AGAIN_MS = secondsMs(3);
/** How far back each call looks: clocks of nodes differ, and a commit is seen after its time. Each is copied once. */
const OVERLAP_MS = secondsMs(5);
/** A page holds fifty. At more a second than this, older ones are left out, and counted. */
const PAGES_MAX = 20;
const NAME_CHARS_MAX = 60;

export interface Forwarding {
  readonly client: ServiceClient;
  readonly opened: ForwardOpened;
  readonly target: URL;
  /** `null` for every event. */
  readonly only: string | null;
  readonly extra: Readonly<Record<string, string>>;
}

/** Until it is asked to stop, or the service ends it: then the exit code is 1. */
export async function forwardUntilEnd(io: CommandIo, forwarding: Forwarding): Promise<number> {
  const { client, opened } = forwarding;
  const copies = new Copies(io, forwarding);
  let isStopping = false;
  const stopped = io.stopAsked.then(() => (isStopping = true));
  for (let fromMs = opened.nowMs; !isStopping;) {
    const asked = await Promise.race([copies.takeSince(fromMs), stopped]);
    if (asked === "ended") return 1;
    if (typeof asked === "number") fromMs = asked - OVERLAP_MS;
    await Promise.race([sleep(systemClock, asked === "failed" ? ASK_AGAIN_MS : ASK_EVERY_MS), stopped]);
  }
  await client.call({ method: "DELETE", path: "/dashboard/forward" });
  return 0;
}

/** The service's clock at the answer; or the call failed and may be made again; or forwarding has ended. */
type Taken = number | "failed" | "ended";

class Copies {
  readonly #io: CommandIo;
  readonly #forwarding: Forwarding;
  /** Done with: each list has some of the one before again. */
  #done = new Set<string>();
  #isAway = false;
  readonly #leftOut = new Set<string>();

  constructor(io: CommandIo, forwarding: Forwarding) {
    this.#io = io;
    this.#forwarding = forwarding;
  }

  async takeSince(fromMs: number): Promise<Taken> {
    const since = Math.max(fromMs, this.#forwarding.opened.nowMs);
    const found = await this.#listSince(since);
    if (typeof found === "string") return found;
    const { nowMs, rows } = found;
    for (const row of rows.toReversed()) {
      if (this.#done.has(row.id) || !this.#isWanted(row)) continue;
      const ended = await this.#forward(row);
      if (ended !== null) return ended;
      this.#done.add(row.id);
    }
    this.#done = new Set(rows.map(({ id }) => id));
    return nowMs;
  }

  #isWanted({ eventType }: ForwardedRow): boolean {
    const { only } = this.#forwarding;
    return only === null || only === eventType;
  }

  /** Newest first. */
  async #listSince(fromMs: number): Promise<{ nowMs: number; rows: ForwardedRow[] } | "failed" | "ended"> {
    const rows: ForwardedRow[] = [];
    let nowMs: number | null = null;
    let cursor: string | null = null;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const list = await this.#get<ForwardedList>(`/dashboard/forward/deliveries?from=${fromMs}${query}`);
      if (typeof list === "string") return list;
      nowMs ??= list.nowMs;
      rows.push(...list.deliveries);
      cursor = list.nextCursor;
      if (cursor === null) return { nowMs, rows };
    }
    this.#io.err(`More than ${rows.length} webhooks came at once: older ones of them are left out.`);
    return { nowMs: nowMs ?? fromMs, rows };
  }

  /** `null`: done, or not to be had. */
  async #forward(row: ForwardedRow): Promise<"failed" | "ended" | null> {
    const copy = await this.#get<ForwardedRequest>(`/dashboard/forward/deliveries/${encodeURIComponent(row.id)}`);
    if (typeof copy === "string") return copy;
    this.#tellLeftOut(copy);
    const { target, extra } = this.#forwarding;
    const startedMs = systemClock.monotonicMs();
    const answer = await postHere({ url: target, headers: { ...copy.headers, ...extra }, body: copy.body });
    const tookMs = Math.round(systemClock.monotonicMs() - startedMs);
    this.#io.out(toLine(row, answer.ok ? `${answer.value.status} in ${tookMs} ms` : `no answer (${answer.error})`));
    return null;
  }

  #tellLeftOut({ secretHeaders }: ForwardedRequest): void {
    const { extra } = this.#forwarding;
    for (const name of secretHeaders) {
      if (name in extra || this.#leftOut.has(name)) continue;
      this.#leftOut.add(name);
      this.#io.err(`Copies leave out ${name}, because its value is secret. Send one with --header "${name}: …".`);
    }
  }

  async #get<Answer>(path: string): Promise<Answer | "failed" | "ended"> {
    const answer = await this.#forwarding.client.call({ method: "GET", path });
    const said = answer.kind === "answered" ? parseJson(answer.text) : undefined;
    if (answer.kind === "answered" && answer.status === 200) {
      if (this.#isAway) this.#io.err("The service answers again.");
      this.#isAway = false;
      return said as Answer;
    }
    if (answer.kind === "answered" && answer.status === 401) {
      for (const line of isProblem(said) ? describeProblem(said) : ["Forwarding has ended."]) this.#io.err(line);
      return "ended";
    }
    const why = answer.kind === "unreachable" ? answer.code : `it answered ${answer.status}`;
    if (!this.#isAway) this.#io.err(`The service cannot be asked (${why}); trying again.`);
    this.#isAway = true;
    return "failed";
  }
}

function toLine({ id, eventType, isTest, destination }: ForwardedRow, end: string): string {
  const time = `${new Date(systemClock.nowMs()).toISOString().slice(11, 19)}Z`;
  const name = destination === null ? "" : ` · ${terminalText(destination, NAME_CHARS_MAX)}`;
  return `${time}  ${eventType}${name}${isTest ? " · a test" : ""} · ${id} → ${end}`;
}
