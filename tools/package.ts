/** `npm run package`: what is published, as `dist/package` for `npm publish`, and as a tarball beside it. */
import { join, relative } from "node:path";
import { buildPackage, packPackage } from "./package-build.ts";

const DIST = join(import.meta.dirname, "..", "dist");

if (process.argv.includes("--refuse")) {
  // npm calls this before it packs the project itself: see package-build.ts for why that is not what anybody wants.
  console.error("This project is the service. `npm run package` makes the package that others install.");
  process.exitCode = 1;
} else {
  buildPackage(join(DIST, "package"));
  console.log(relative(process.cwd(), packPackage(join(DIST, "package"), DIST)));
}
