/**
 * One HTTP request that is no webhook: to the operator's collector, to our own service, to a receiver on this machine.
 * Its address comes from settings or flags, so no egress guard stands before it. Redirects are not followed.
 */
import type { Agent, OutgoingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { Agent as HttpAgent, request as requestHttp } from "./node-http.ts";

export interface HttpCall {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer | null;
  /** A longer answer is cut here, and its connection is closed. */
  readonly answerBytesMax: number;
  /** Opening the connection; TCP alone. */
  readonly connectMsMax: number;
  /** The time without a byte in either direction. */
  readonly idleMsMax: number;
  /** `false` opens a connection for this call alone. */
  readonly agent: Agent | false;
  readonly signal?: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** Connections that stay open between calls to `origin`. `destroy` ends the calls that run. */
export const keepConnections = ({ protocol }: URL, maxSockets: number): Agent =>
  protocol === "https:"
    ? new HttpsAgent({ keepAlive: true, maxSockets })
    : new HttpAgent({ keepAlive: true, maxSockets });

/** Rejects with the system's or Node's error, or with the signal's reason. */
export function callHttp(call: HttpCall): Promise<HttpAnswer> {
  const { url, method, headers, agent, signal } = call;
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method,
    headers,
    agent,
    // Makes the request tell of the socket's time-outs, the ones that are set below too.
    timeout: call.connectMsMax,
    ...(signal === undefined ? {} : { signal }),
  });
  request.on("error", (error) => reject(signal?.aborted ? signal.reason : error));
  request.on("socket", (socket) => {
    socket.setTimeout(socket.connecting ? call.connectMsMax : call.idleMsMax);
    if (socket.connecting) socket.once("connect", () => socket.setTimeout(call.idleMsMax));
  });
  request.on("timeout", () => request.destroy(late(request.socket?.connecting ?? true)));
  // Node says nothing else of an answer that switches to another protocol.
  const endUnanswered = () => reject(Object.assign(new Error("No answer came."), { code: "ANSWER_INCOMPLETE" }));
  request.once("close", endUnanswered);
  request.on("response", (response) => {
    request.off("close", endUnanswered);
    const parts: Buffer[] = [];
    let bytes = 0;
    const finish = () =>
      resolve({
        status: response.statusCode ?? 0,
        retryAfter: response.headers["retry-after"],
        text: Buffer.concat(parts).subarray(0, call.answerBytesMax).toString(),
      });
    response.on("data", (part: Buffer) => {
      parts.push(part);
      bytes += part.length;
      if (bytes < call.answerBytesMax) return;
      finish();
      request.destroy();
    });
    response.on("end", finish);
    response.on("error", (error) => reject(signal?.aborted ? signal.reason : error));
  });
  request.end(call.body ?? undefined);
  return promise;
}

/** `fault-words.ts` has the words for both codes. */
const late = (isConnecting: boolean): Error =>
  isConnecting
    ? Object.assign(new Error("The connection was not opened in time."), { code: "ETIMEDOUT" })
    : Object.assign(new Error("No answer came in time."), { code: "ANSWER_LATE" });
