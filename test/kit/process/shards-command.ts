/** `bellwire shards`, as an operator runs it where a node runs. */
import { tmpdir } from "node:os";
import { shards } from "../../../src/commands/shards.ts";
import { createFakeIo } from "../world/fake-io.ts";

export interface RunShards {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: string;
}

/** With the key of `startNode`, unless another one is given. */
export async function runShards(
  { database, key = Buffer.alloc(32, 7) }: { readonly database: string; readonly key?: Buffer },
  ...args: string[]
): Promise<RunShards> {
  const { io, out, err } = createFakeIo(args, {
    // The keys are given, so nothing is in it.
    BELLWIRE_DATA_DIR: tmpdir(),
    BELLWIRE_DATABASE: database,
    BELLWIRE_ENCRYPTION_KEY: key.toString("base64"),
    BELLWIRE_API_KEY: "test-intake-key-0123456789",
  });
  const code = await shards(io);
  return { code, out, err: err.join("\n") };
}
