/**
 * `GET dashboard/live`: the live stream as server-sent events. The reply is taken out of the server's hands: headers,
 * end and errors are this file's own business. It ends with its session, with the program, and when its reader is gone.
 */
import type { ServerResponse } from "node:http";
import { finished } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { type Problem, problem } from "../../domain/problem.ts";
import { sendProblem } from "../../http/problem-response.ts";
import { SECURITY_HEADERS } from "../../http/security-headers.ts";
import { secondsMs } from "../../lib/duration.ts";
import type { Clock } from "../../lib/clock.ts";
import { StoreUnavailable } from "../../store/contract/store.ts";
import type { DashboardContext } from "../call/context.ts";
import type { Guard } from "../guard/guard.ts";
import { BUFFERED_BYTES_MAX, type LiveHub, type LiveSink, type LiveStream, SESSION_ENDED } from "./hub.ts";
import type { Session } from "../guard/session.ts";

/** Below the minute after which proxies cut connections that say nothing. */
const PING_MS = secondsMs(15);

/** How long a reader has to take the last text. A guess: a page that is alive takes it at once. */
const LAST_TEXT_MS = secondsMs(1);

export interface LiveRoute {
  readonly guard: Guard;
  readonly hub: LiveHub;
}

export function registerLive(scope: FastifyInstance, ctx: DashboardContext, { guard, hub }: LiveRoute): void {
  // Before the sockets are waited for: a stream never ends by itself, and the stop would not end.
  scope.addHook("preClose", async () => hub.stop());

  const options = { exposeHeadRoute: false, config: { authHook: guard.authHookFor("viewer") } };
  scope.get("/live", options, async (request, reply) => {
    const session = guard.getSession(request);
    const { sink, start } = createSink(reply, ctx.accounts.clock);
    const lastEventId = lastSeen(request.headers["last-event-id"]);
    const isGone = endWhenGone(ctx, session, sink);
    const stream = hub.open({ session, lastEventId, sink, onDoubt: () => void isGone() });
    if (typeof stream === "string") return sendProblem(reply, REFUSALS[stream]);
    start();
    follow(reply.raw, stream, { clock: ctx.accounts.clock, isGone });
    return reply;
  });
}

const lastSeen = (header: string | readonly string[] | undefined): string | null =>
  typeof header === "string" && header.length <= 100 ? header : null;

/** Text that is written before `start` waits for it: a refused stream must still answer with a problem. */
function createSink(reply: FastifyReply, clock: Clock): { readonly sink: LiveSink; readonly start: () => void } {
  const { raw } = reply;
  const early: string[] = [];
  let isOpen = false;
  const sink: LiveSink = {
    write(text) {
      if (!isOpen) early.push(text);
      else if (!raw.writableEnded) raw.write(text);
    },
    buffered: () => raw.writableLength,
    end(lastText) {
      // Cut, not finished: a reader that does not read would not take the end either.
      if (raw.writableLength > (lastText === undefined ? 0 : BUFFERED_BYTES_MAX)) return void raw.destroy();
      if (raw.writableEnded) return;
      raw.end(lastText);
      raw.once(
        "close",
        clock.after(LAST_TEXT_MS, () => raw.destroy()),
      );
    },
  };
  const start = (): void => {
    reply.hijack();
    raw.writeHead(200, STREAM_HEADERS);
    raw.write(early.join(""));
    isOpen = true;
  };
  return { sink, start };
}

const STREAM_HEADERS = {
  ...SECURITY_HEADERS,
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // nginx would collect the frames otherwise.
  "x-accel-buffering": "no",
  // The socket ends with the stream, so that a stop has nothing left to wait for.
  connection: "close",
};

interface Followed {
  readonly clock: Clock;
  readonly isGone: () => Promise<boolean>;
}

/** Pings until the reader has gone or the session has ended, here or on another node. */
function follow(raw: ServerResponse, stream: LiveStream, { clock, isGone }: Followed): void {
  let cancel = clock.after(PING_MS, () => void ping());
  // Also when the reader has gone before this, which would keep its place for good. A reset is no fault of the service.
  finished(raw, () => {
    cancel();
    stream.close();
  });

  async function ping(): Promise<void> {
    if ((await isGone()) || raw.destroyed) return;
    stream.ping();
    cancel = clock.after(PING_MS, () => void ping());
  }
}

/** Whether the session has ended; the stream has then ended too. Each call asks anew: an answer may be from before. */
function endWhenGone(ctx: DashboardContext, session: Session, sink: LiveSink): () => Promise<boolean> {
  return async () => {
    const isGone = await hasEnded(ctx, session, ctx.accounts.clock);
    if (isGone) sink.end(SESSION_ENDED);
    return isGone;
  };
}

/**
 * An open stream does not count as use of its session: a forgotten window must not keep somebody signed in. While the
 * store is away the answer is open, and the page goes on showing what it has.
 */
async function hasEnded({ accounts: { store } }: DashboardContext, { hash }: Session, clock: Clock): Promise<boolean> {
  const loaded = store.loadSession({ sessionHash: hash, isUse: false, nowMs: clock.nowMs() });
  return await loaded.then(
    (stored) => stored === null,
    (error: unknown) => {
      if (error instanceof StoreUnavailable) return false;
      throw error;
    },
  );
}

const REFUSALS: Readonly<Record<"too_many" | "stopping", Problem>> = {
  too_many: problem("too_many_streams", "This account is open in too many windows. Close some, or reload later."),
  stopping: problem("shutting_down", "This node is being stopped."),
};
