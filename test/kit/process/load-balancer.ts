/**
 * A load balancer as they come, in small: passes requests on in turn to the nodes whose `/readyz` says yes, over
 * connections that it keeps. A node that refuses the connection is passed over, since nothing was sent; a request that
 * breaks off on the way is answered 502 and never sent again, because its fate is unknown.
 */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Pool } from "undici";

const CHECK_EVERY_MS = 100;
const CHECK_MS_MAX = 1_000;

export interface LoadBalancer extends AsyncDisposable {
  readonly url: string;
  /** How many of its nodes were ready when they were last asked. */
  readyCount(): number;
  /** Requests that broke off, in words: each was answered 502. */
  readonly broken: readonly string[];
}

interface Backend {
  readonly url: string;
  readonly pool: Pool;
  isReady: boolean;
}

export async function startLoadBalancer(urls: readonly string[]): Promise<LoadBalancer> {
  const backends = urls.map((url): Backend => ({ url, pool: new Pool(url), isReady: false }));
  const broken: string[] = [];
  let turn = 0;

  /** The next one in turn that is ready, and that has not been tried. */
  function findNext(tried: ReadonlySet<Backend>): Backend | null {
    turn += 1;
    const inTurn = backends.map((_, place) => backends[(turn + place) % backends.length]);
    return inTurn.find((backend) => backend?.isReady === true && !tried.has(backend)) ?? null;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const tried = new Set<Backend>();
    for (;;) {
      const backend = findNext(tried);
      if (backend === null) return void response.writeHead(503).end();
      const passed = await passOn(backend, { request, response, body });
      if (passed === "answered") return;
      tried.add(backend);
      backend.isReady = false;
      if (passed === "refused") continue;
      broken.push(`${backend.url}: ${passed.why}`);
      return void response.writeHead(502).end();
    }
  }

  const checks = backends.map((backend) => setInterval(() => void check(backend), CHECK_EVERY_MS));
  await Promise.all(backends.map(check));
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readyCount: () => backends.filter(({ isReady }) => isReady).length,
    broken,
    async [Symbol.asyncDispose]() {
      for (const timer of checks) clearInterval(timer);
      server.close();
      server.closeAllConnections();
      await Promise.all(backends.map(({ pool }) => pool.destroy()));
    },
  };
}

async function check(backend: Backend): Promise<void> {
  const { pool } = backend;
  const asked = pool.request({ method: "GET", path: "/readyz", headersTimeout: CHECK_MS_MAX });
  const answer = await asked.catch(() => null);
  await answer?.body.dump();
  backend.isReady = answer?.statusCode === 200;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
}

/** `refused`: it was not even connected, so another one may be asked. */
async function passOn(
  { pool }: Backend,
  { request, response, body }: Exchange,
): Promise<"answered" | "refused" | { readonly why: string }> {
  const { method = "GET", url: path = "/", headers } = request;
  const sent = { "content-type": headers["content-type"], authorization: headers.authorization };
  try {
    const answer = await pool.request({ method, path, headers: sent, body });
    const text = await answer.body.text();
    response.writeHead(answer.statusCode, { "content-type": String(answer.headers["content-type"]) }).end(text);
    return "answered";
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return code === "ECONNREFUSED" ? "refused" : { why: `${code} ${message}` };
  }
}
