/** Whether a port can be listened on, found out in the only sure way: by trying. */
import { createServer } from "node:net";
import { systemCode } from "./read-file.ts";

/** `null` when it is free, else the system's code for why not. It may be taken again right after. */
export function probePort({ host, port }: { readonly host: string; readonly port: number }): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(systemCode(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
