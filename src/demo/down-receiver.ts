/**
 * A receiver that is down on purpose: it answers 503 to every request. One alert of the demo goes to it, so that the
 * dashboard has a failure to explain: the request, the answer, and the next try.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface DownReceiver extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

const ANSWER = '{"error":"The warehouse is being upgraded. Try again later."}';

export async function startDownReceiver(host: string): Promise<DownReceiver> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(503, { "content-type": "application/json" }).end(ANSWER);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
