/**
 * The most that the machine can do: undici alone sends the same bodies to the same receiver from one process, without
 * signing, store, checks or answers to anybody. The benchmark's ratios are measured against it, in the same run.
 */
import { type Dispatcher, Pool } from "undici";
import type { FromLoad } from "./load.ts";
import { bodyText, putSequence, sharedClockMs, toTemplate, webhookHeaders } from "./record.ts";

export interface ToUndici {
  readonly port: number;
  readonly connections: number;
  readonly destinations: number;
  readonly firstSequence: number;
  readonly durationMs: number;
}

process.on("message", (job: ToUndici) => {
  void send(job).then((done) => process.send?.(done));
});
process.on("disconnect", () => process.exit(0));

async function send({ port, connections, destinations, firstSequence, durationMs }: ToUndici): Promise<FromLoad> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
  const startedAtMs = sharedClockMs();
  const untilMs = startedAtMs + durationMs;
  let sent = 0;
  await Promise.all(
    Array.from({ length: connections }, (_, line) => {
      const template = toTemplate("", [bodyText(line % destinations)]);
      const options = makeRequest(template.bytes, line % destinations);
      return new Promise<void>((resolve, reject) => {
        const sendNext = (): void => {
          if (sharedClockMs() >= untilMs) return resolve();
          putSequence(template, 0, firstSequence + sent);
          sent += 1;
          pool.dispatch(options, handler(sendNext, reject));
        };
        sendNext();
      });
    }),
  );
  await pool.destroy();
  const none = new Float64Array(0);
  return { records: sent, startedAtMs, endedAtMs: sharedClockMs(), atMs: none, answeredAtMs: none, lateMsMax: 0 };
}

function makeRequest(body: Buffer, destination: number): Dispatcher.DispatchOptions {
  return {
    method: "POST",
    path: `/in/${destination}`,
    body,
    headers: webhookHeaders(body.length),
  };
}

function handler(onEnd: () => void, onError: (error: Error) => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart() {},
    onResponseStart() {},
    onResponseData() {},
    onResponseEnd: onEnd,
    onResponseError: (_controller, error) => onError(error),
  };
}
