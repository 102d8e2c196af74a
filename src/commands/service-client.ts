/**
 * A client of a running service, in the role of the product's back end, for the commands and the demo's product. Every
 * result is a value, so that each command can say in words what to do about it.
 */
import { secondsMs } from "../lib/duration.ts";
import { callHttp, keepConnections } from "../lib/http-call.ts";
import { faultCode } from "../lib/file-fault.ts";

export interface ServiceCall {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Below the service's address; each segment already encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: "application/json" | "application/x-ndjson"; readonly content: string | Buffer };
}

export type ServiceAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly text: string }
  /** No answer came, or not a valid one. `code` is the system's, or Node's. */
  | { readonly kind: "unreachable"; readonly code: string };

export interface ServiceClient extends AsyncDisposable {
  readonly url: string;
  /** Never rejects. */
  call(call: ServiceCall): Promise<ServiceAnswer>;
}

/** The service commits before it answers, and waits for its disk. */
const ANSWER_MS_MAX = secondsMs(30);
const CONNECT_MS_MAX = secondsMs(5);
/** Above any answer of the service: a thousand result lines, each with every field refused. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const CONNECTIONS_MAX = 8;

/** `url` may have a path, without a slash at the end. Without a key only the open addresses answer. */
export function createServiceClient({
  url,
  key,
}: {
  readonly url: string;
  readonly key: string | null;
}): ServiceClient {
  const base = url.replace(/\/$/, "");
  const agent = keepConnections(new URL(url), CONNECTIONS_MAX);
  return {
    url,
    async call({ method, path, headers: given = {}, body }) {
      const headers: Record<string, string> = { ...given };
      if (key !== null) headers.authorization = `Bearer ${key}`;
      if (body !== undefined) headers["content-type"] = body.type;
      try {
        const { status, text } = await callHttp({
          url: new URL(base + path),
          method,
          headers,
          body: body?.content ?? null,
          answerBytesMax: ANSWER_BYTES_MAX,
          connectMsMax: CONNECT_MS_MAX,
          idleMsMax: ANSWER_MS_MAX,
          agent,
        });
        return { kind: "answered", status, text };
      } catch (error) {
        return { kind: "unreachable", code: faultCode(error) };
      }
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
    },
  };
}

/** The answer as JSON; `undefined` when it is not JSON, and then another program has answered. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
