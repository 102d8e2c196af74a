#!/usr/bin/env node
/**
 * The command `bellwire`. Plain JavaScript that an old Node can read, so that somebody who starts it with one gets a
 * sentence and not a syntax error. Everything else is TypeScript, which the Node that npm brings runs as it is.
 */
const NEEDED = [24, 15];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isNewEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);

if (isNewEnough) {
  await import("../src/main.ts");
} else {
  // A release's archive has another one (tools/release/program.ts).
  const advice = "Run it through npm (`npm start`, `npm run demo`, `npx --no bellwire …`), which brings its own Node.";
  console.error(`Bellwire needs Node ${NEEDED.join(".")} or newer; this is Node ${process.versions.node}. ${advice}`);
  process.exitCode = 1;
}
