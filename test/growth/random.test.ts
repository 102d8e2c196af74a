/** The quick form; `random.long.test.ts` has more. `BELLWIRE_FUZZ_SEED` and `BELLWIRE_FUZZ_RUNS` try others. */
import { testRandomGrowth } from "./random.ts";

testRandomGrowth({
  seed: Number(process.env["BELLWIRE_FUZZ_SEED"] ?? 43),
  cases: Number(process.env["BELLWIRE_FUZZ_RUNS"] ?? 24),
});
