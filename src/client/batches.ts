/** Splits records into batches of the size that one call of intake takes. Each record keeps its place. */

/** Source: decisions §5. */
export const BATCH_RECORDS_MAX = 1_000;
export const BATCH_BYTES_MAX = 8 * 1024 * 1024;

export interface Batch {
  /** One record a line. */
  readonly body: string;
  readonly count: number;
}

/**
 * Holds one batch at most. A record that is larger than any batch travels alone, and the service refuses it in its own
 * words. JSON text contains no line breaks, so a line is a record.
 */
export async function* splitIntoBatches(
  records: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<Batch, void> {
  let lines: string[] = [];
  let bytes = 0;
  for await (const record of records) {
    const line = `${JSON.stringify(record)}\n`;
    const lineBytes = Buffer.byteLength(line);
    if (lines.length === BATCH_RECORDS_MAX || (lines.length > 0 && bytes + lineBytes > BATCH_BYTES_MAX)) {
      yield { body: lines.join(""), count: lines.length };
      lines = [];
      bytes = 0;
    }
    lines.push(line);
    bytes += lineBytes;
  }
  if (lines.length > 0) yield { body: lines.join(""), count: lines.length };
}
