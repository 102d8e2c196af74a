/**
 * The product's back ends of several accounts: each account has callers that post one record after the other, and
 * repeat each until it is acknowledged. What was acknowledged, and how long each answer took, is kept by phase.
 */
import { randomUUID } from "node:crypto";
import { Pool } from "undici";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { pause } from "../../test/kit/wait.ts";

export interface CallersOptions {
  readonly urls: readonly string[];
  readonly apiKey: string;
  readonly accounts: readonly string[];
  /** Between an answer and the next post of a caller. */
  readonly pauseMs: number;
}

export interface Answered {
  readonly account: string;
  readonly phase: string;
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly tookMs: number;
}

export interface Callers {
  /** Answers from now on are of this phase. */
  begin(phase: string): void;
  readonly answers: readonly Answered[];
  /** Source ids, each with every event id that was told for it. */
  readonly acknowledged: ReadonlyMap<string, ReadonlySet<string>>;
  /** Resolves when each caller has its last record acknowledged. */
  end(): Promise<void>;
}

const AGAIN_MS = 100;
const ANSWER_MS_MAX = 15_000;

export function startCallers({ urls, apiKey, accounts, pauseMs }: CallersOptions): Callers {
  const pools = urls.map((url) => new Pool(url, { connections: accounts.length, headersTimeout: ANSWER_MS_MAX }));
  const answers: Answered[] = [];
  const acknowledged = new Map<string, Set<string>>();
  let phase = "";
  let isEnding = false;
  let turn = 0;

  async function post(account: string, id: string): Promise<boolean> {
    const pool = pools[(turn += 1) % pools.length];
    const startedMs = performance.now();
    const during = phase;
    try {
      const answer = await pool?.request({
        method: "POST",
        path: `/v1/accounts/${account}/demo-sessions`,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: sessionRecord(id),
      });
      const text = (await answer?.body.text()) ?? "";
      const status = answer?.statusCode ?? 0;
      const retryAfter = answer?.headers["retry-after"]?.toString();
      answers.push({ account, phase: during, status, retryAfter, tookMs: performance.now() - startedMs });
      if (status !== 200 && status !== 202) return false;
      const events = acknowledged.get(id) ?? new Set();
      acknowledged.set(id, events.add((JSON.parse(text) as { event_id: string }).event_id));
      return true;
    } catch {
      const tookMs = performance.now() - startedMs;
      answers.push({ account, phase: during, status: 0, retryAfter: undefined, tookMs });
      return false;
    }
  }

  async function call(account: string): Promise<void> {
    while (!isEnding) {
      const id = randomUUID();
      while (!(await post(account, id))) await pause(AGAIN_MS);
      await pause(pauseMs);
    }
  }

  const running = accounts.map(call);
  return {
    begin: (next) => void (phase = next),
    answers,
    acknowledged,
    async end() {
      isEnding = true;
      await Promise.all(running);
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

/** In milliseconds; `NaN` for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
