/** The comparison with undici and llhttp over many more answers. */
process.env["BELLWIRE_FUZZ_RUNS"] ??= "40000";
await import("./beside-undici.test.ts");
