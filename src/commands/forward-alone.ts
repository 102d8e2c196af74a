/**
 * `bellwire forward` as one file: the service serves it as `/forward.mjs`, so that a developer's machine needs no
 * package, and no registry decides what runs there. It is built with the page (tools/forward-file.ts), for Node 20.16
 * and newer, and reads nothing of the machine but its arguments.
 */
import { forwardAs } from "./forward.ts";

/** Node 20 has neither; both are called later than this. */
Object.assign(Promise, { withResolvers: Promise.withResolvers ?? withResolvers });
Object.assign(URL, { parse: URL.parse ?? parseUrl });

const { promise: stopAsked, resolve: askToStop } = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => askToStop());

const io = {
  args: process.argv.slice(2),
  env: {},
  stopAsked,
  out: (line: string) => void process.stdout.write(`${line}\n`),
  err: (line: string) => void process.stderr.write(`${line}\n`),
};
process.exitCode = await forwardAs(io, {
  call: "node forward.mjs",
  defaultUrl: ", as the dashboard prints it",
  findUrl() {
    io.err("--url is missing: the address of the service, as the dashboard prints it");
    return null;
  },
});

function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let settle: Pick<PromiseWithResolvers<Value>, "resolve" | "reject"> | undefined;
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...(settle as unknown as Pick<PromiseWithResolvers<Value>, "resolve" | "reject">) };
}

function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
