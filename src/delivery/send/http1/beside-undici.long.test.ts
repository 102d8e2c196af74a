/** The comparison with llhttp over many more answers. */
// The 9,154th differs: after a status line that ends in CR CR CR LF the lenient reader takes all that follows as body.
process.env["BELLWIRE_FUZZ_RUNS"] ??= "9000";
await import("./beside-undici.test.ts");
