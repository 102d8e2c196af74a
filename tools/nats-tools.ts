/**
 * `npm run nats-tools`: puts the program nats (built by Go) into a cache folder, so that bridge/readme.long.test.ts
 * runs the commands for NATS of bridge/README.md. Says in one line when it cannot, and the test then says that it did
 * not.
 */
import { buildNatsCli, findNatsCli } from "../test/kit/brokers/nats-program.ts";

if ("folder" in findNatsCli()) console.log("the program nats is there");
else console.log(buildNatsCli() ? "the program nats was put into the cache" : "Go could not build the program nats");
