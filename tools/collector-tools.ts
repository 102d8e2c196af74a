/**
 * `npm run collector-tools`: puts OpenTelemetry's collector (built by Go) into a cache folder, for
 * e2e/collector.long.test.ts. Says in one line when it cannot, and the test then says that it did not run.
 */
import { buildCollector, findCollector } from "../test/kit/servers/collector-program.ts";

if ("path" in findCollector()) console.log("the collector is there");
else console.log(buildCollector() ? "the collector was put into the cache" : "Go could not build the collector");
