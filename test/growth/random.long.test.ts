/** Each run tries others; a name has its seed: `BELLWIRE_FUZZ_SEED=… node test/growth/random.long.test.ts`. */
import { testRandomGrowth } from "./random.ts";

testRandomGrowth({
  seed: Number(process.env["BELLWIRE_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31)),
  cases: Number(process.env["BELLWIRE_FUZZ_RUNS"] ?? 300),
});
