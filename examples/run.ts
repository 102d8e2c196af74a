/** `npm run examples`: each receiver and sender that this machine can run, also those that take long to build. */
import { spawnSync } from "node:child_process";

const TESTS = [
  "examples/verify/verify.long.test.ts",
  "examples/verify/public-key.long.test.ts",
  "examples/send/send.long.test.ts",
];

const { status } = spawnSync(process.execPath, ["--test", ...TESTS], {
  stdio: "inherit",
  env: { ...process.env, EXAMPLES: "all" },
});
process.exitCode = status ?? 1;
