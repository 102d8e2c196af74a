/** Finds out whether a port can be listened on, in the only sure way: by trying. */
import { createServer } from "node:net";
import { faultCode } from "../lib/file-fault.ts";

/** `null` when the port is free, otherwise the system's code. Another program may take it right after. */
export function probePort({ host, port }: { readonly host: string; readonly port: number }): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(faultCode(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
