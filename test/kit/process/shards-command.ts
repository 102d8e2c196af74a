/** Commands on a database, as an operator runs them where a node runs. */
import { tmpdir } from "node:os";
import type { Command } from "../../../src/commands/command.ts";
import { shards } from "../../../src/commands/shards.ts";
import { createFakeIo } from "../world/fake-io.ts";

export interface RunShards {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: string;
}

/** With the key of `startNode`, unless another one is given. */
export async function runShards(
  given: { readonly database: string; readonly key?: Buffer },
  ...args: string[]
): Promise<RunShards> {
  return await runCommand(shards, given, ...args);
}

/** With the same key. */
export async function runCommand(
  command: Command,
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
  const code = await command(io);
  return { code, out, err: err.join("\n") };
}
