/** `npm run examples`: every reference receiver that this machine can run, also those that take long to build. */
import { spawnSync } from "node:child_process";

const { status } = spawnSync(process.execPath, ["--test", "examples/verify/verify.long.test.ts"], {
  stdio: "inherit",
  env: { ...process.env, EXAMPLES: "all" },
});
process.exitCode = status ?? 1;
