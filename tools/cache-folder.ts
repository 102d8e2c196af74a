/** Where programs are that only tests use and that take minutes to make: outside the repository, for all checkouts. */
import { homedir } from "node:os";
import { join } from "node:path";

export const TOOLS_CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "bellwire");
