/**
 * Lets the log begin anew. It does so in the first commit after all of it was copied, unless somebody reads it at that
 * moment: reads that follow one another closely would let it grow for ever. While the gate is closed, none begins.
 */

export type ReadGate = Int32Array<SharedArrayBuffer>;

const OPEN = 0;
const CLOSED = 1;

/** Copying a log takes 15 to 45 ms. Who closed the gate may have died: a read goes on then. */
const PASS_MS_MAX = 250;

export const createReadGate = (): ReadGate => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

export const closeReads = (gate: ReadGate): void => void Atomics.store(gate, 0, CLOSED);

export function openReads(gate: ReadGate): void {
  Atomics.store(gate, 0, OPEN);
  Atomics.notify(gate, 0);
}

/** Waits until it is open. */
export const passGate = (gate: ReadGate): void => void Atomics.wait(gate, 0, CLOSED, PASS_MS_MAX);
